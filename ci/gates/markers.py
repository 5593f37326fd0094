"""No reminder is left in a source file: what is known and open stands in the documentation."""
import re

import tree

MARKER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")


def check(root):
    paths = tree.files(root, tree.SOURCES)
    if not paths:
        raise LookupError("no sources found")
    return [f"{path.relative_to(root).as_posix()}:{number}: {MARKER.search(line)[0]}"
            for path in paths
            for number, line in enumerate(tree.read(path).split("\n"), 1) if MARKER.search(line)]
