/* The proof of the arithmetic flags: no macro tells whether a compiler contracts a * b + c, flushes
 * subnormals or approximates a division, so each toolchain compiles this file with the kernels' own
 * flags and the build inspects the result (cmake/check_flags.cmake: PTX for NVIDIA, ISA for AMD)
 * or runs it (the executor's build, kernels/device/flag_probe_main.c).
 *
 * One kernel an operation, so that an inspector can look at one function at a time.
 */
#include "device/device.h"
#include "device/flag_probe.h"

DEV_KERNEL(32)
probe_unfused(const flag_probe_params p) {
    p.out[0] = p.a * p.b + p.c;
    p.out[1] = p.c - p.a * p.b;
}

DEV_KERNEL(32)
probe_fused(const flag_probe_params p) { p.out[2] = dev_fma(p.a, p.b, p.c); }

DEV_KERNEL(32)
probe_divide(const flag_probe_params p) { p.out[3] = dev_div(p.c, p.b); }

DEV_KERNEL(32)
probe_root(const flag_probe_params p) { p.out[4] = dev_sqrt(p.a); }

/* Subnormal operands and results: kept. */
DEV_KERNEL(32)
probe_subnormal(const flag_probe_params p) {
    p.out[5] = p.tiny * 0.5f;
    p.out[6] = p.tiny + p.tiny;
}

/* A 32-bit index that overflows must wrap, as it does on a chip. */
DEV_KERNEL(32)
probe_wrap(const flag_probe_params p) {
    const int32_t sum = p.large + p.large;
    p.out[7] = sum < 0 ? 1.0f : 0.0f;
}

DEV_ENTRY(flag_probe) {
    const flag_probe_params &p = *static_cast<const flag_probe_params *>(params);
    switch (instance) {
    case 0: return dev_launch<probe_unfused>("probe_unfused", geometry, p, stream);
    case 1: return dev_launch<probe_fused>("probe_fused", geometry, p, stream);
    case 2: return dev_launch<probe_divide>("probe_divide", geometry, p, stream);
    case 3: return dev_launch<probe_root>("probe_root", geometry, p, stream);
    case 4: return dev_launch<probe_subnormal>("probe_subnormal", geometry, p, stream);
    default: return dev_launch<probe_wrap>("probe_wrap", geometry, p, stream);
    }
}
