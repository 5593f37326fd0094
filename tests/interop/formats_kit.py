"""What the formats' interop tests share: format_pipe as functions on arrays, and a count."""

import subprocess
import sys

import numpy as np

program = sys.argv[1]
passed = failed = 0


def pipe(words, data, dtype):
    done = subprocess.run([program, *words], input=np.ascontiguousarray(data).tobytes(),
                          capture_output=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"format_pipe {' '.join(words)}: exit code {done.returncode}: {done.stderr}")
    return np.frombuffer(done.stdout, dtype=dtype)


def expect_equal(what, got, due, inputs):
    """Bit for bit; NaNs must have been made equal before."""
    global passed, failed
    got, due = np.asarray(got).ravel(), np.asarray(due).ravel()
    wrong = np.flatnonzero(got != due) if got.shape == due.shape else None
    right = wrong is not None and wrong.size == 0 and got.size > 0
    passed += right
    failed += not right
    print(("ok      " if right else "NOT OK  ") + f"{what}: {got.size} compared")
    if not right and wrong is not None:
        for i in wrong[:8]:
            print(f"        {np.asarray(inputs).ravel()[i]!r}: {got[i]:#x}, due {due[i]:#x}")
        print(f"        {wrong.size} differ")


def finish(expected):
    """The count is part of the test: a loop that ran empty must not pass."""
    print(f"{passed} passed, {failed} failed")
    if failed:
        sys.exit(1)
    if passed != expected:
        print(f"expected {expected} comparisons, {passed} were made")
        sys.exit(3)
