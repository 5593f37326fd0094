"""GGUF blocks against the gguf package: random blocks dequantised, random values quantised.

Bit for bit in float32; a NaN's sign and payload are not compared.
"""

import gguf
import numpy as np
from gguf.quants import NVFP4

from formats_kit import expect_equal, finish, pipe

BLOCKS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "MXFP4", "NVFP4"]
QUANTISERS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "MXFP4"]
rng = np.random.default_rng(20240612)
np.seterr(all="ignore")  # infinities and NaNs are part of the data


def bits_of(values):
    values = np.asarray(values, dtype=np.float32)
    return np.where(np.isnan(values), np.uint32(0x7FFFFFFF), values.view(np.uint32))


for name in BLOCKS:
    kind = gguf.GGMLQuantizationType[name]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (4000, size), dtype=np.uint8)
    due = gguf.dequantize(blocks, kind)
    ours = pipe(["block_decode", name], blocks, np.float64).astype(np.float32)
    expect_equal(f"{name} decode", bits_of(ours), bits_of(due), np.arange(due.size))

# Rows of many magnitudes: random, ties (multiples of a quarter), one outlier, zeros. No -0: where it is
# the extreme of a block, the package takes its sign for the scale, ggml's C code does not.
rows = 6000
x = rng.standard_normal((rows, 64)) * 2.0 ** rng.integers(-12, 12, (rows, 1))
x[1::4] = np.round(x[1::4] * 4) / 4
x[2::4, 9] *= 1000
x[3::40] = 0
x = x.astype(np.float32) + np.float32(0)
for name in QUANTISERS:
    due = gguf.quantize(x, gguf.GGMLQuantizationType[name])
    ours = pipe(["block_quantise", name], x, np.uint8)
    expect_equal(f"{name} quantise", ours, due, np.arange(due.size))

# NVFP4: the package has its scale encoder only. One value a sub-block, so that it is the maximum.
absmax = np.concatenate([
    np.arange(0, 4096) * np.float32(2**-10), np.arange(0, 4096) * np.float32(0.75),
    np.exp2(rng.uniform(-14, 13, 8192)),
]).astype(np.float32)
x = np.zeros((absmax.size, 16), dtype=np.float32)
x[np.arange(absmax.size), np.arange(absmax.size) % 16] = absmax
ours = pipe(["block_quantise", "NVFP4"], x, np.uint8).reshape(-1, 36)[:, :4]
expect_equal("NVFP4 scales", ours, NVFP4.fp32_to_ue4m3(absmax / np.float32(6)), absmax)

finish(expected=len(BLOCKS) + len(QUANTISERS) + 1)
