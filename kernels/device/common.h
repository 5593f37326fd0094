/* Parts of the device layer that are the same on every back end: written once over its primitives,
 * in integer code or explicit comparisons, so that no back end's own choice can show.
 */
#ifndef ASSAY_DEVICE_COMMON_H
#define ASSAY_DEVICE_COMMON_H

DEV_INLINE float dev_nan() { return dev_float(0x7fffffffu); }
DEV_INLINE bool dev_is_nan(float v) { return (dev_bits(v) & 0x7fffffffu) > 0x7f800000u; }

/* Minimum and maximum as NVIDIA's min.f32 and max.f32 give them. */
DEV_INLINE float dev_min(float a, float b) {
    if (dev_is_nan(a)) return dev_is_nan(b) ? dev_nan() : b;
    if (dev_is_nan(b)) return a;
    if (a == b) return dev_float(dev_bits(a) | dev_bits(b)); /* -0 wins; equal values are equal */
    return a < b ? a : b;
}
DEV_INLINE float dev_max(float a, float b) {
    if (dev_is_nan(a)) return dev_is_nan(b) ? dev_nan() : b;
    if (dev_is_nan(b)) return a;
    if (a == b) return dev_float(dev_bits(a) & dev_bits(b));
    return a > b ? a : b;
}

DEV_INLINE int32_t dev_f32_to_i32(float v) {
    if (dev_is_nan(v)) return 0;
    if (v >= 2147483648.0f) return INT32_MAX;
    if (v <= -2147483648.0f) return INT32_MIN;
    return (int32_t)v;
}
DEV_INLINE uint32_t dev_f32_to_u32(float v) {
    if (dev_is_nan(v) || v <= 0.0f) return 0;
    if (v >= 4294967296.0f) return UINT32_MAX;
    return (uint32_t)v;
}

DEV_INLINE uint32_t dev_shl(uint32_t v, uint32_t n) { return n < 32 ? v << n : 0; }
DEV_INLINE uint32_t dev_shr(uint32_t v, uint32_t n) { return n < 32 ? v >> n : 0; }

DEV_INLINE float dev_to_f32(float v) { return v; }
DEV_INLINE float dev_to_f32(dev_bf16 v) { return dev_float((uint32_t)v.bits << 16); }

/* Overloads chosen by the type of an unused pointer: dev_from_f32<T> picks one. */
DEV_INLINE float dev_round_to(float v, const float *) { return v; }
DEV_INLINE dev_f16 dev_round_to(float v, const dev_f16 *) { return dev_f32_to_f16(v); }
DEV_INLINE dev_bf16 dev_round_to(float v, const dev_bf16 *) { return dev_f32_to_bf16(v); }

/* Rounds once to T, to nearest even. */
template <typename T>
DEV_INLINE T dev_from_f32(float v) {
    return dev_round_to(v, static_cast<const T *>(nullptr));
}

/* Element j of a chunk; j should be known at compile time, after unrolling. */
DEV_INLINE float dev_get(const dev_chunk<float> &c, uint32_t j) { return dev_float(c.words[j]); }
DEV_INLINE void dev_set(dev_chunk<float> &c, uint32_t j, float v) { c.words[j] = dev_bits(v); }
template <typename T>
DEV_INLINE T dev_get(const dev_chunk<T> &c, uint32_t j) {
    return T{(uint16_t)(c.words[j / 2] >> (j % 2 * 16))};
}
template <typename T>
DEV_INLINE void dev_set(dev_chunk<T> &c, uint32_t j, T v) {
    const uint32_t shift = j % 2 * 16;
    c.words[j / 2] = (c.words[j / 2] & ~(0xffffu << shift)) | (uint32_t)v.bits << shift;
}

/* A back end that reports accesses takes the caller's source line along. */
#if !defined(DEV_CALLER)
#define DEV_CALLER
#define DEV_CALLER_PASS
#endif
template <typename T>
DEV_INLINE dev_chunk<T> dev_load_chunk(const T *address DEV_CALLER) {
    return dev_load_16(reinterpret_cast<const dev_chunk<T> *>(address) DEV_CALLER_PASS);
}
template <typename T>
DEV_INLINE void dev_store_chunk(T *address, const dev_chunk<T> &chunk DEV_CALLER) {
    dev_store_16(reinterpret_cast<dev_chunk<T> *>(address), chunk DEV_CALLER_PASS);
}

#endif
