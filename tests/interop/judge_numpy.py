"""assay judge against NumPy on data made here: conventions, formats, layouts, and what is wrong."""

import sys

import numpy as np

from kit import Bf16, F16, F32, Judge, bf16_bits, bf16_values, rms_norm

ROWS, D, EPS = 12, 320, 1e-5
judge = Judge(sys.argv[1])
rng = np.random.default_rng(20240607)

# Rows whose mean square lies around eps, so that eps shows; weights away from 0 and 1.
scale = np.sqrt(EPS) * 2.0 ** np.linspace(-3, 6, ROWS)
x = (rng.standard_normal((ROWS, D)) * scale[:, None]).astype(np.float32)
x[1, -1] = x[2, 0] = x[3, D // 2] = 12 * scale[3]  # so that a lost first or last element shows
w = (rng.uniform(0.4, 1.6, D)).astype(np.float32)

# bf16_bits itself: against every neighbour, from float64, ties included.
every = np.arange(0, 0x7F80, dtype=np.uint16)
low, high = bf16_values(every[:-1]).astype(np.float64), bf16_values(every[1:]).astype(np.float64)
middle = (low + high) / 2
even = np.where(every[:-1] % 2 == 0, every[:-1], every[1:])
judge.expect("bf16 ties go to even", np.array_equal(bf16_bits(middle), even))
judge.expect(
    "bf16 above and below a tie",
    np.array_equal(bf16_bits(middle * (1 + 2**-40)), every[1:])
    and np.array_equal(bf16_bits(middle * (1 - 2**-40)), every[:-1]),
)

# What is right passes: three conventions, three formats, float32 and float64 arithmetic.
FORMATS = {"bf16": Bf16, "f16": F16, "f32": F32}
for name, storage in FORMATS.items():
    xs, ws = storage.stored(x), storage.stored(w)
    xv, wv = storage.round(x), storage.round(w)
    for convention in ("ra", "rb", "rc"):
        for arithmetic in (np.float32, np.float64):
            y = rms_norm(xv, wv, EPS, convention, storage, arithmetic)
            judge.verdict(
                f"{name} {convention} in {arithmetic.__name__}", 0, "PASSED",
                {"x": xs, "w": ws}, {"y": storage.stored(y)}, (f"eps={EPS}", f"conv={convention}"),
                says=("contract  any, assumed",),
            )

xs, ws = bf16_bits(x), bf16_bits(w)
xv, wv = bf16_values(xs), bf16_values(ws)
inputs, attributes = {"x": xs, "w": ws}, (f"eps={EPS}",)
good = rms_norm(xv, wv, EPS, "ra", Bf16, np.float64)
bits = bf16_bits(good)

# The same tensors, stored in other ways.
judge.verdict("results kept in f32", 0, "PASSED", inputs, {"y": good.astype(np.float32)},
              attributes, says=("slack     largest error",))
judge.verdict("three dimensions", 0, "PASSED", {"x": xs.reshape(3, 4, D), "w": ws},
              {"y": bits.reshape(3, 4, D)}, attributes, says=(f"rows={ROWS} d={D}",))
judge.verdict("column-major", 0, "PASSED", {"x": np.asfortranarray(xs), "w": ws},
              {"y": np.asfortranarray(bits)}, attributes)
judge.verdict("big-endian", 0, "PASSED", {"x": xs.astype(">u2"), "w": ws.astype(">u2")},
              {"y": bits.astype(">u2")}, attributes)
judge.verdict("opaque 16-bit elements, as ml_dtypes writes bf16", 0, "PASSED",
              {"x": xs.view("V2"), "w": ws.view("V2")}, {"y": bits.view("V2")}, attributes)
f32_good = rms_norm(x, w, EPS, "ra", F32, np.float32)
judge.verdict("f64 files that hold f32 values", 0, "PASSED",
              {"x": x.astype(np.float64), "w": w.astype(np.float64)},
              {"y": f32_good.astype(np.float64)}, attributes)
judge.verdict("a named tree", 0, "PASSED", inputs, {"y": bits}, attributes,
              options=("--contract", "h=40"), says=("contract  h=40\n",))
no_weight = bf16_bits(rms_norm(xv, np.ones(D), EPS, "ra", Bf16, np.float64))
judge.verdict("no weight", 0, "PASSED", {"x": xs}, {"y": no_weight}, attributes, says=("w=no",))

# What is wrong fails, in the right place.
broken = bits.copy()
row, column = 5, 77
broken[row, column] += 3
judge.verdict("one element", 1, "FAILED", inputs, {"y": broken}, attributes,
              says=("y[row 5, column 77]", "1 of 3840"), place=(row, column), failed=1)
broken = bits.copy()
broken[7, 3] = 0x7FC0
judge.verdict("one NaN", 1, "FAILED", inputs, {"y": broken}, attributes, place=(7, 3), failed=1)
broken = bits.copy()
broken[:, -8:] = bf16_bits((good / wv)[:, -8:])
judge.verdict("weight not applied to the last 8 columns", 1, "FAILED", inputs, {"y": broken},
              attributes, says=("last 8 columns",))
broken = bits.copy()
broken[4] = bf16_bits(rms_norm(xv[4, :-1], wv[:-1], EPS, "ra", Bf16, np.float64)).tolist() + [0]
judge.verdict("last element lost in one row", 1, "FAILED", inputs, {"y": broken}, attributes,
              says=("row 4",))
judge.verdict("rows in another order", 1, "FAILED", inputs, {"y": bits[::-1].copy()}, attributes)
judge.verdict("an eps that is not the one named", 1, "FAILED", inputs, {"y": bits}, ("eps=1e-6",))
judge.verdict("R-A named R-B", 1, "FAILED", inputs, {"y": bits}, attributes + ("conv=rb",))
rb = bf16_bits(rms_norm(xv, wv, EPS, "rb", Bf16, np.float64))
judge.verdict("R-B named R-A", 1, "FAILED", inputs, {"y": rb}, attributes)
judge.verdict("NumPy's result in float16", 1, "FAILED", inputs,
              {"y": f32_good.astype(np.float16).astype(np.float32)}, attributes)

# Data that show nothing, and a contract that says nothing.
ones = bf16_bits(np.ones((4, 64)))
unit = bf16_bits(np.ones((4, 64)) / np.sqrt(1 + 1e-6))
row = judge.verdict("all ones", 1, "MISTRUSTED", {"x": ones, "w": ones[0]}, {"y": unit},
                    ("eps=1e-6",), says=("cannot show", "no_weight", "--accept all"))
judge.verdict("all ones, accepted", 0, "PASSED", {"x": ones, "w": ones[0]}, {"y": unit},
              ("eps=1e-6",), options=("--accept", "all"), says=("(accepted)",))
judge.verdict("all ones, one fault accepted", 1, "MISTRUSTED", {"x": ones, "w": ones[0]},
              {"y": unit}, ("eps=1e-6",), options=("--accept", "no_weight"))
judge.verdict("a tree of 2^24 roundings", 1, "ILL_CONDITIONED", inputs, {"y": bits}, attributes,
              options=("--contract", "h=16777216"), says=("contract 'h=16777216' says nothing",))

# What cannot be judged is refused by name.
judge.refused("no y", 2, ("y must",), inputs, {}, attributes)
judge.refused("an unknown tensor", 2, ("no tensor 'z'", "x, w, y (output)"), {"z": xs}, {"y": bits})
judge.refused("an input called output", 2, ("'x' is an input: name it with --in",), {},
              {"x": xs, "y": bits})
judge.refused("an unknown op", 2, ("no op 'rms_nrom'", "rms_norm"), inputs, {"y": bits},
              op="rms_nrom")
judge.refused("an unknown attribute", 2, ("epsilon",), inputs, {"y": bits}, ("epsilon=1",))
judge.refused("an unknown contract", 2, ("contract 'wild'",), inputs, {"y": bits}, attributes,
              options=("--contract", "wild"))
judge.refused("an unknown fault", 2, ("no fault 'no_waste'",), inputs, {"y": bits}, attributes,
              options=("--accept", "no_waste"))
judge.refused("shapes that disagree", 2, ("dimension 1 is 320 in x, 319 in y",), inputs,
              {"y": bits[:, :-1].copy()}, attributes)
judge.refused("a d that the files contradict", 2, ("contradict",), inputs, {"y": bits},
              attributes + ("d=64",))
judge.refused("nothing to judge", 2, ("no elements",), {"x": xs[:0], "w": ws}, {"y": bits[:0]},
              attributes)
judge.refused("integers not called bf16", 2, ("16-bit integers", "y.npy:bf16"), inputs,
              {"y": judge.save("y", bits)}, attributes)
judge.refused("f64 results", 2, ("y.npy", "expected values that f32 holds exactly"),
              {"x": x, "w": w}, {"y": rms_norm(x, w, EPS, "ra", F32, np.float64)}, attributes)
judge.refused("int32", 3, ("y.npy: descr at byte 21", "<i4"), inputs,
              {"y": bits.astype(np.int32)}, attributes)
objects = judge.folder / "o.npy"
np.save(objects, np.array([{"a": 1}], dtype=object), allow_pickle=True)
judge.refused("a pickled object", 3, ("o.npy: descr at byte 21", "never unpickled"), inputs,
              {"y": objects}, attributes)
short = judge.save("short", bits.view("V2"))
short.write_bytes(short.read_bytes()[:-1])
judge.refused("a truncated file", 3, ("short.npy: data at byte 128", "expected 7680 bytes"), inputs,
              {"y": short}, attributes)
judge.refused("a missing file", 3, ("none.npy: file: found No such file",), inputs,
              {"y": judge.folder / "none.npy"}, attributes)

judge.finish(expected=57)
