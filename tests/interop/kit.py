"""What the interop tests share: RMSNorm in NumPy, bf16 by integer code, and `assay judge`."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def bf16_bits(values):
    """float32 or float64 to bf16, rounded once to nearest even; NaN becomes 0x7fff."""
    values = np.asarray(values)
    single = values.astype(np.float32)
    if values.dtype == np.float64:
        # Round to odd first, so that the second rounding cannot see a tie that was none.
        bits = single.view(np.uint32)
        inexact = (single.astype(np.float64) != values) & np.isfinite(values) & np.isfinite(single)
        away = inexact & (np.abs(single.astype(np.float64)) > np.abs(values))
        toward_zero = bits - away.astype(np.uint32)
        single = np.where(inexact, toward_zero | 1, bits).astype(np.uint32).view(np.float32)
    bits = single.view(np.uint32)
    rounded = (bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(single), 0x7FFF, rounded).astype(np.uint16)


def bf16_values(bits):
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)


class Bf16:
    """A storage format: how values are rounded to it, and how NumPy can store it."""

    @staticmethod
    def round(values):
        return bf16_values(bf16_bits(values))

    @staticmethod
    def stored(values):
        return bf16_bits(values)


class F16:
    @staticmethod
    def round(values):
        return np.asarray(values).astype(np.float16).astype(np.float32)

    @staticmethod
    def stored(values):
        return np.asarray(values).astype(np.float16)


class F32:
    @staticmethod
    def round(values):
        return np.asarray(values).astype(np.float32)

    @staticmethod
    def stored(values):
        return np.asarray(values).astype(np.float32)


def rms_norm(x, w, eps, convention, storage, arithmetic):
    """The unrounded result, in `arithmetic` (np.float32 or np.float64) throughout."""
    x = x.astype(arithmetic)
    w = w.astype(arithmetic)
    eps = arithmetic(np.float32(eps))
    mean = np.mean(x * x, axis=-1, keepdims=True, dtype=arithmetic)
    normal = x * (arithmetic(1) / np.sqrt(mean + eps))
    if convention == "rb":
        normal = storage.round(normal).astype(arithmetic)
    if convention == "rc":
        w = arithmetic(1) + w
    return normal * w


class Judge:
    """Runs `assay judge` and keeps count. Every expectation is one line of the log."""

    def __init__(self, program):
        self.program = program
        self.folder = Path(tempfile.mkdtemp(prefix="assay-interop-"))
        self.passed = self.failed = 0

    def save(self, name, array):
        path = self.folder / f"{name}.npy"
        np.save(path, array, allow_pickle=False)
        return path

    def file(self, role, values):
        """An operand for the command line: uint16 arrays are bf16."""
        if isinstance(values, (str, Path)):
            return f"{role}={values}"
        suffix = ":bf16" if values.dtype.kind == "u" else ""
        return f"{role}={self.save(role, values)}{suffix}"

    def run(self, inputs, outputs, attributes=(), options=(), op="rms_norm"):
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        command = [self.program, "judge", op, "--json", report, *options]
        for role, values in inputs.items():
            command += ["--in", self.file(role, values)]
        for role, values in outputs.items():
            command += ["--out", self.file(role, values)]
        for attribute in attributes:
            command += ["--attr", attribute]
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=60
        )
        text = done.stdout + done.stderr
        row = json.loads(report.read_text()) if report.exists() else None
        return done.returncode, text, row

    def expect(self, what, condition, detail=""):
        self.passed += bool(condition)
        self.failed += not condition
        print(("ok      " if condition else "NOT OK  ") + what)
        if not condition and detail:
            print("        " + str(detail).replace("\n", "\n        "))

    def verdict(self, what, code, word, *run, says=(), place=None, failed=None, **options):
        """One judgement: exit code, verdict word, texts, (row, column) of the worst element."""
        got, text, report = self.run(*run, **options)
        row = report["rows"][0] if report else {}
        right = got == code and row.get("word") == word and report["totals"][word.lower()] == 1
        right = right and all(part in text for part in says)
        if place is not None:
            worst = row["worst"] or {}
            right = right and place == (worst.get("row"), worst.get("column"))
        if failed is not None:
            right = right and row["failed"] == failed
        self.expect(f"{what}: {word}, exit code {code}", right, f"exit code {got}\n{text}")
        return row

    def refused(self, what, code, says, *run, **options):
        """Nothing judged: the exit code and what the message must hold."""
        got, text, _ = self.run(*run, **options)
        self.expect(
            f"{what}: exit code {code}",
            got == code and all(part in text for part in says),
            f"exit code {got}\n{text}",
        )

    def finish(self, expected):
        """The count is part of the test: a loop that ran empty must not pass."""
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()
        print(f"{self.passed} passed, {self.failed} failed")
        if self.failed:
            sys.exit(1)
        if self.passed != expected:
            print(f"expected {expected} expectations, {self.passed} were tried")
            sys.exit(3)
