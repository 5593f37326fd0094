"""No file has more than 500 lines of code (600 in a kernel), unless ci/long-files gives a reason.

Blank lines and comments do not count. A line of ci/long-files is a path, blanks, and the reason; an
entry for a file that is short or gone is wrong, too.
"""
import tree

LIMIT, KERNEL_LIMIT = 500, 600
LIST = "ci/long-files"


def code_lines(path):
    text = tree.read(path)
    if path.suffix in tree.C_FILES:
        return sum(1 for line in tree.code(text).split("\n") if line.strip())
    return sum(1 for line in text.split("\n") if line.strip() and line.strip()[0] != "#")


def check(root):
    wrong, reasons = [], {}
    for line in tree.read(root / LIST).splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            reasons[name] = reason.strip()
            if not reasons[name]:
                wrong.append(f"{LIST}: {name} has no reason")
    paths = tree.files(root, tree.SOURCES)
    if not paths:
        raise LookupError("no sources found")
    long = set()
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.suffix == ".txt" and path.name != "CMakeLists.txt":
            continue  # recorded data
        count, limit = code_lines(path), KERNEL_LIMIT if path.suffix == ".cu" else LIMIT
        if count <= limit:
            continue
        long.add(name)
        if name not in reasons:
            wrong.append(f"{name}:1: {count} lines of code, more than {limit}; "
                         f"split it, or give a reason in {LIST}")
    wrong += [f"{LIST}: {name} is not too long, or gone" for name in reasons if name not in long]
    return wrong
