"""Who may include whom, and that public headers stand alone.

An oracle that shares code with the kernel it judges proves nothing, so each folder names the only
folders whose headers it may see. A quoted name is looked up as the compiler does, beside the file
first; where several folders have it all of them must be allowed.
"""
import os
import re
import shutil
import subprocess

import tree

SIMT = {"include/assay/simt.h", "include/assay/simt_matrix.h", "include/assay/simt_async.h"}
JUDGES = {"include/assay/formats.h", "include/assay/oracle.h", "include/assay/oracle_gemm.h"}

# Folder, what it may include, public headers that it may not. The first that fits a file counts.
RULES = [
    ("include/", ["include/"], set()),
    ("base/", ["base/", "include/"], JUDGES | SIMT),
    ("kernels/device/", ["kernels/device/", "include/"], JUDGES),
    ("kernels/", ["kernels/", "include/"], JUDGES | SIMT),
    ("reference/formats/", ["reference/formats/", "include/"], SIMT),
    ("reference/oracle/", ["reference/oracle/", "include/"], SIMT),
    ("reference/simt/", ["reference/simt/", "include/"], JUDGES),
    ("reference/", ["reference/", "include/"], SIMT),
    ("tests/harness/", ["tests/harness/", "include/"], set()),
    ("tools/", ["tools/", "tests/harness/", "include/"], set()),
    ("fuzz/", ["fuzz/", "tests/harness/", "include/"], set()),
]
GENERATED = {"kernel_tables.inc", "ops.inc"}
INCLUDE = re.compile(r'\s*(?:#|%:)\s*include\s*(?:"([^"]+)"|<([^>]+)>|(.*))')


def targets(name, included, headers):
    """The tree's files that an #include in file `name` may mean. headers: {last name: paths}"""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), included))
    same = headers.get(os.path.basename(included), [])
    if beside in same:
        return [beside]
    included = re.sub(r"^(\.\.?/)+", "", included)
    return [h for h in same if h == included or h.endswith("/" + included)]


def check_rules(root):
    wrong, seen = [], 0
    paths = {p.relative_to(root).as_posix(): p for p in tree.files(root, tree.C_FILES)}
    headers = {}
    for name in paths:
        headers.setdefault(os.path.basename(name), []).append(name)
    for name, path in paths.items():
        rule = next((r for r in RULES if name.startswith(r[0])), None)
        if not rule:
            continue
        for number, line in tree.joined(tree.code(tree.read(path))):
            found = INCLUDE.match(line)
            if not found:
                continue
            seen += 1
            if found[3]:
                wrong.append(f"{name}:{number}: an include by macro hides what it names")
                continue
            meant = targets(name, found[1] or found[2], headers)
            if not meant and found[1] and found[1] not in GENERATED:
                wrong.append(f'{name}:{number}: "{found[1]}" is no file of the tree')
            for target in meant:
                if not target.startswith(tuple(rule[1])) or target in rule[2]:
                    wrong.append(f"{name}:{number}: {rule[0]} may not include {target}")
    if not seen:
        raise LookupError("no includes found")
    return wrong


def check_alone(root):
    headers = [str(p.relative_to(root)) for p in tree.files(root, {".h"}, "include")]
    if not headers:
        raise LookupError("no public headers found")
    wrong = []
    for compiler, language, standard in (("cc", "c", "c17"), ("c++", "c++", "c++17")):
        program = shutil.which(compiler)
        if not program:
            raise LookupError(f"no {compiler}")
        run = subprocess.run(
            [program, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Iinclude",
             "-fsyntax-only", "-x", language, *headers],
            cwd=root, capture_output=True, text=True)
        if run.returncode:
            first = next((l for l in run.stderr.splitlines() if "error" in l), run.stderr)
            wrong.append(f"{first} (as {standard}, alone)")
    return wrong


def check(root):
    return check_rules(root) + check_alone(root)
