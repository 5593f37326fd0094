"""Kernels are one source for every machine: what differs between chips stays in kernels/device.

Outside that folder kernels/ has no preprocessor condition but include guards, no inline assembly, no
name that only one toolchain knows, and no memcpy or memset, which the executor's access checks cannot
see. A condition would let the executor test another kernel than the chip runs.

kernels/launch/entries.h is the one exception: it says which back ends a build holds. Launchers
(kernels/launch/*.c) are host code, where memcpy and memset are harmless.
"""
import re

import tree

EXCEPTION = "kernels/launch/entries.h"
CONDITION = re.compile(r"\s*(?:#|%:|\?\?=)\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else)\b")
GUARD = re.compile(r"\s*#\s*ifndef\s+(\w+)\s*$")
BANNED = [
    (re.compile(r"\b(?:asm|__asm|__asm__)\b"), "inline assembly"),
    (re.compile(r"<<<"), "a launch; use dev_launch"),
    (re.compile(r"\b__(?:shared|global|device|host|constant|managed|launch_bounds)__\b"),
     "a toolchain's keyword; use the device layer"),
    (re.compile(r"\b__attribute(?:__)?\b|\b__declspec\b"), "an attribute; use the device layer"),
    (re.compile(r"\b(?:__CUDA\w*|__HIP\w*|__NVCC__|__AMDGCN\w*|__gfx\w*|ASSAY_DEVICE_\w+)\b"),
     "a macro that tells chips or back ends apart"),
]
COPIES = re.compile(r"\b(?:__builtin_)?mem(?:cpy|set|move)\b")


def conditions(lines):
    """Line numbers of the preprocessor conditions other than an include guard."""
    directives = [(n, line) for n, line in lines if re.match(r"\s*(?:#|%:|\?\?=)", line)]
    guard = GUARD.match(directives[0][1]) if directives else None
    if guard and len(directives) > 1:
        if re.match(rf"\s*#\s*define\s+{guard[1]}\s*$", directives[1][1]):
            directives = directives[2:]
    return [(n, line) for n, line in directives if CONDITION.match(line)]


def check(root):
    wrong, seen = [], 0
    for path in tree.files(root, tree.C_FILES, "kernels"):
        name = path.relative_to(root).as_posix()
        if name.startswith("kernels/device/"):
            continue
        seen += 1
        lines = tree.joined(tree.code(tree.read(path), strings=False))
        if name != EXCEPTION:
            for number, line in conditions(lines):
                wrong.append(f"{name}:{number}: preprocessor condition: {line.strip()}")
        banned = list(BANNED)
        if not re.match(r"kernels/launch/\w+\.c$", name):
            banned.append((COPIES, "a copy that access checks cannot see; use the device layer"))
        for number, line in lines:
            for pattern, what in banned:
                found = pattern.search(line)
                if found and not (name == EXCEPTION and CONDITION.match(line)):
                    wrong.append(f"{name}:{number}: {found[0]}: {what}")
    if not seen:
        raise LookupError("no kernel sources found")
    return wrong
