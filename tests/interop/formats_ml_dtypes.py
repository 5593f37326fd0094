"""The scalar formats against ml_dtypes and NumPy: every code, and a million floats an encoder.

Left out, because the two define it differently: what a NaN becomes in FP4 and FP6 (there is no NaN;
ml_dtypes gives a zero), zero and values below zero in e8m0 (ml_dtypes gives NaN), and ties in e8m0
(ml_dtypes sends all of them up, ours go to the even code: those with an even upper code are kept).
A NaN's sign and payload are not compared: ours is canonical.
"""

import ml_dtypes
import numpy as np

from formats_kit import expect_equal, finish, pipe

FORMATS = {
    "f16": (np.float16, 16),
    "bf16": (ml_dtypes.bfloat16, 16),
    "e5m2": (ml_dtypes.float8_e5m2, 8),
    "e4m3": (ml_dtypes.float8_e4m3fn, 8),
    "e5m2_fnuz": (ml_dtypes.float8_e5m2fnuz, 8),
    "e4m3_fnuz": (ml_dtypes.float8_e4m3fnuz, 8),
    "e3m2": (ml_dtypes.float6_e3m2fn, 6),
    "e2m3": (ml_dtypes.float6_e2m3fn, 6),
    "e2m1": (ml_dtypes.float4_e2m1fn, 4),
    "e8m0": (ml_dtypes.float8_e8m0fnu, 8),
}
rng = np.random.default_rng(20240611)
np.seterr(all="ignore")  # infinities and NaNs are part of the data


def same_nans(bits, is_nan, nan=0xFFFFFFFF):
    return np.where(is_nan, nan, bits)


def inputs_for(values):
    """All midpoints of neighbours and their float neighbours, specials, random floats of all sizes."""
    finite = np.unique(values[np.isfinite(values)])
    beyond = finite[-1] + (finite[-1] - finite[-2])
    points = np.append(finite, beyond)
    middles = ((points[1:] + points[:-1]) / 2).astype(np.float32)
    near = np.concatenate([finite.astype(np.float32), middles])
    near = np.concatenate([near, np.nextafter(near, np.float32(np.inf)),
                           np.nextafter(near, np.float32(-np.inf))])
    special = np.array([0, 1e-45, 1.2e-38, 3.4e38, np.inf, np.nan], dtype=np.float32)
    near = np.concatenate([near, special])
    near = np.concatenate([near, -near])
    rest = max(1_000_000 - near.size, 500_000)
    wild = rng.integers(0, 1 << 32, rest // 2, dtype=np.uint64).astype(np.uint32).view(np.float32)
    tame = (rng.uniform(-2, 2, rest - rest // 2)
            * 2.0 ** rng.uniform(np.log2(np.abs(finite[finite > 0]).min()) - 2,
                                 np.log2(float(finite[-1])) + 1, rest - rest // 2))
    return np.concatenate([near, wild, tame.astype(np.float32)])


for name, (dtype, bits) in FORMATS.items():
    codes = np.arange(1 << bits, dtype=np.uint32)
    stored = codes.astype(np.uint16 if bits == 16 else np.uint8)
    theirs = stored.view(dtype).astype(np.float64)
    ours = pipe(["decode", name], codes, np.float64)
    expect_equal(f"{name} decode", same_nans(ours.view(np.uint64), np.isnan(ours)),
                 same_nans(theirs.view(np.uint64), np.isnan(theirs)), codes)

    x = inputs_for(ours)
    if bits < 8:
        x = x[~np.isnan(x)]
    if name == "e8m0":
        x = x[(x > 0) | np.isnan(x)]
        exponent = np.frexp(x.astype(np.float64))[1] - 1  # x = 1.5 * 2^exponent at a tie
        tie = x.astype(np.float64) == 1.5 * 2.0**exponent
        x = x[~tie | (exponent % 2 == 0)]
    due = x.astype(dtype)
    due_bits = due.view(stored.dtype).astype(np.uint32)
    due_bits = same_nans(due_bits, np.isnan(due.astype(np.float64)))
    nan_codes = codes[np.isnan(ours)]
    for verb, data in (("from_f32", x), ("round", x.astype(np.float64))):
        got = pipe([verb, name, "even", "0"], data, np.uint32)
        expect_equal(f"{name} {verb}", same_nans(got, np.isin(got, nan_codes)), due_bits, x)

finish(expected=3 * len(FORMATS))
