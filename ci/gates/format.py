"""C, C++ and CUDA files look as clang-format makes them with the tree's .clang-format.

Versions of clang-format differ in details; the tree is laid out by 14.
"""
import re
import shutil
import subprocess

import tree

VERSION = "14"


class NotRun(Exception):
    pass


def formatter():
    found = None
    for name in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program:
            text = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            found = re.search(r"version (\d+)", text)[1]
            if found == VERSION:
                return program
    have = f"version {found} here, " if found else "no clang-format here, "
    raise NotRun(f"{have}{VERSION} needed (YES=1 ci/bootstrap gates)")


def check(root):
    names = [str(p.relative_to(root)) for p in tree.files(root, tree.C_FILES - {".def"})]
    if not names:
        raise LookupError("no C files found")
    run = subprocess.run([formatter(), "--dry-run", "--Werror", "--style=file", *names], cwd=root,
                         capture_output=True, text=True)
    wrong = {}
    for line in run.stderr.splitlines():
        found = re.match(r"(.*?):(\d+):\d+: error: (.*?)(?: \[|$)", line)
        if found:
            wrong.setdefault(found[1], f"{found[1]}:{found[2]}: {found[3]}; clang-format -i {found[1]}")
    if run.returncode and not wrong:
        wrong[""] = run.stderr.strip() or "clang-format failed"
    return list(wrong.values())
