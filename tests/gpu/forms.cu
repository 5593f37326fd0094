/* One kernel that evaluates any form of the device layer over a range of indices (forms.h).
 * A thread takes indices thread, thread + all threads, ... of the range. */
#include "device/device.h"
#include "gpu/forms.h"

DEV_INLINE uint32_t forms_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z ^ (z >> 31));
}

/* Operand `which` of index `i`: one in four is special, the others are random bits. */
DEV_INLINE uint32_t forms_operand(uint64_t i, uint32_t which) {
    const uint32_t bits = forms_mix(i * 4 + which + UINT64_C(0x632be59bd9b4e019));
    const uint32_t pick = forms_mix(i * 4 + which + UINT64_C(0x1f83d9abfb41bd6b));
    const uint32_t sign = bits & 0x80000000u;
    switch (pick % 44) {
    case 0: return sign;               /* zero */
    case 1: return sign | 0x7f800000u; /* infinity */
    case 2: return sign | 0x7fc00000u | (bits & 0xffff);
    case 3: return sign | 0x7f800001u;          /* signalling NaN */
    case 4: return sign | 1u;                   /* least subnormal */
    case 5: return sign | 0x007fffffu;          /* largest subnormal */
    case 6: return sign | 0x00800000u;          /* least normal */
    case 7: return sign | 0x7f7fffffu;          /* largest */
    case 8: return sign | 0x3f800000u;          /* one */
    case 9: return sign | (bits & 0x007fffffu); /* subnormal */
    case 10: return sign | 0x3f800000u | (bits & 0x007fffffu);
    default: return bits;
    }
}

DEV_INLINE uint32_t forms_evaluate(int form, uint64_t i) {
    const uint32_t index = (uint32_t)i;
    const float unary = dev_float(index);
    const float a = dev_float(forms_operand(i, 0)), b = dev_float(forms_operand(i, 1));
    const float c = dev_float(forms_operand(i, 2));
    float v = 0.0f;
    switch (form) {
    case FORM_f32_to_f16: return dev_from_f32<dev_f16>(unary).bits;
    case FORM_f32_to_bf16: return dev_from_f32<dev_bf16>(unary).bits;
    case FORM_f32_to_i32: return (uint32_t)dev_f32_to_i32(unary);
    case FORM_f32_to_u32: return dev_f32_to_u32(unary);
    case FORM_is_nan: return dev_is_nan(unary) ? 1 : 0;
    case FORM_shl: return dev_shl(forms_operand(i, 0), forms_operand(i, 1) % 70);
    case FORM_shr: return dev_shr(forms_operand(i, 0), forms_operand(i, 1) % 70);
    case FORM_sqrt: v = dev_sqrt(unary); break;
    case FORM_reciprocal: v = dev_div(1.0f, unary); break;
    case FORM_f16_to_f32: v = dev_to_f32(dev_f16{(uint16_t)index}); break;
    case FORM_bf16_to_f32: v = dev_to_f32(dev_bf16{(uint16_t)index}); break;
    case FORM_div: v = dev_div(a, b); break;
    case FORM_fma: v = dev_fma(a, b, c); break;
    case FORM_add: v = a + b; break;
    case FORM_mul: v = a * b; break;
    case FORM_mul_add: v = a * b + c; break;
    case FORM_min: v = dev_min(a, b); break;
    default: v = dev_max(a, b); break;
    }
    return dev_bits(dev_is_nan(v) ? dev_nan() : v); /* a NaN is compared as the canonical one */
}

DEV_KERNEL(256)
forms_kernel(const forms_params p) {
    const uint32_t all = dev_grid_x() * dev_block_dim_x();
    for (uint32_t i = dev_block_x() * dev_block_dim_x() + dev_thread_x(); i < p.count; i += all)
        p.out[i] = forms_evaluate(p.form, p.first + i * p.step);
}

DEV_ENTRY(forms) {
    (void)instance;
    return dev_launch<forms_kernel>("forms", geometry, *static_cast<const forms_params *>(params),
                                    stream);
}
