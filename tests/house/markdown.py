"""The Markdown files of the source tree, for the tests about them."""

import os
import re
import sys

if "IVP_SOURCE" not in os.environ:
    sys.exit("IVP_SOURCE is not set; run the tests with ctest")
SOURCE = os.environ["IVP_SOURCE"]
LEFT_OUT = ("build", ".git", ".mirror", "node_modules", "tests/fuzz/corpus", "src/cli/templates")  # templates are pages of other projects


def pages():
    """All of them, as paths from the top."""
    found = []
    for at, folders, names in os.walk(SOURCE):
        here = os.path.relpath(at, SOURCE)
        folders[:] = [f for f in folders if not f.startswith(".") and os.path.normpath(os.path.join(here, f)) not in LEFT_OUT]
        found += [os.path.normpath(os.path.join(here, name)) for name in names if name.endswith(".md")]
    return sorted(found)


def text_of(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as f:
        return f.read()


def prose_of(page):
    """The text without fenced blocks, with the lines kept: what is code is an empty line."""
    out, fence = [], None
    for line in text_of(page).splitlines():
        mark = re.match(r" *(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark[1]
            out.append("")
        elif fence is not None:
            if mark and mark[1].startswith(fence):
                fence = None
            out.append("")
        else:
            out.append(line)
    return out


def anchors_of(page):
    """The anchors that GitHub makes of headings."""
    seen = {}
    anchors = set()
    for line in prose_of(page):
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading:
            continue
        text = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading[1]).lower()
        anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        anchors.add(anchor if count == 0 else f"{anchor}-{count}")
    return anchors


def links_of(page):
    """(line, target, anchor) of every link to a file or a heading of this tree."""
    found = []
    for number, line in enumerate(prose_of(page), 1):
        line = re.sub(r"`[^`]*`(\]?)", r"\1", line)  # code is no link; the text of a link may be code
        for target in re.findall(r"\]\(([^)\s]*)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            found.append((number, path, anchor))
    return found
