"""The tree's files as the gates see them: what is source, and a C file without its comments."""
import functools
import os
import re
from pathlib import Path

C_FILES = {".c", ".h", ".cu", ".def"}
SOURCES = C_FILES | {".py", ".cmake", ".sh", ".txt"}


def files(root, suffixes, under=""):
    """Paths below root/under with one of the suffixes; a script without one counts as .sh.

    Build folders and dot folders (but .ci) are no source."""
    found = []
    for folder, folders, names in os.walk(root / under):
        folders[:] = sorted(f for f in folders
                            if f == ".ci" or not f.startswith((".", "build", "__pycache__")))
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and (path.suffix or script(path)) in suffixes:
                found.append(path)
    return found


def script(path):
    with path.open("rb") as f:
        return ".sh" if f.read(2) == b"#!" else None


def read(path):
    return path.read_text(encoding="utf-8", errors="surrogateescape")


# A comment, or a literal that may look as if it held one.
TOKEN = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


@functools.lru_cache(maxsize=None)  # the self-test looks at the same files again and again
def code(text, strings=True):
    """C text without comments, on the same lines; without the insides of strings unless `strings`."""

    def replace(match):
        token = match.group()
        if token[0] == "/":
            return " " + "\n" * token.count("\n")
        return token if strings else token[0] * 2

    return TOKEN.sub(replace, text)


@functools.lru_cache(maxsize=None)
def joined(text):
    """(line number, line) with continued lines put together, as the preprocessor does first."""
    lines, start, held = [], 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not held:
            start = number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        lines.append((start, held + line))
        held = ""
    return lines
