"""The rooms of the house: nothing includes upwards, and no room reaches into the private headers of another (src/rooms.txt)."""

import os
import re
import sys
import unittest

SOURCE = os.environ.get("IVP_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]', re.MULTILINE)


def read_rooms(text):
    """[(room, headers that others may include)], in the order of the file."""
    rooms = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, headers = line.partition(":")
        rooms.append((name.strip(), headers.split()))
    return rooms


def room_of_file(path, public):
    """The room of a file given from the root; None: it belongs to no room."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[0] == "problems":
        return "problems"
    if parts[0] == "include":
        return public.get("/".join(parts[1:]))
    return None


def target_of(path, mark, text, files):
    """The file of ours that an include line of `path` means; None: it is somebody else's."""
    if mark == "<":
        return "include/" + text if text.startswith("ivp/") else None
    for folder in (os.path.dirname(path), "src", "problems", "src/cli"):
        found = os.path.normpath(os.path.join(folder, text))
        if found in files:
            return found
    return None


def violations(rooms, files):
    """files: {path from the root: text}. Sentences, one for each fault."""
    order = {name: position for position, (name, _) in enumerate(rooms)}
    public = {header[1:-1]: name for name, headers in rooms for header in headers if header.startswith("<")}
    interface = {("problems/" if name == "problems" else f"src/{name}/") + (header if "." in header else header + ".hpp")
                 for name, headers in rooms for header in headers if not header.startswith("<")}
    faults = []
    used = set()
    for path, text in sorted(files.items()):
        room = room_of_file(path, public)
        if path.startswith("include/") and path.endswith(".hpp") and path != "include/ivp/ivp.hpp" and room is None:
            faults.append(f"{path} belongs to no room")
        if room is None:
            continue
        if room not in order:
            faults.append(f"{path} is in the room '{room}', which src/rooms.txt does not name")
            continue
        for mark, name in INCLUDE.findall(text):
            target = target_of(path, mark, name, files)
            other = room_of_file(target, public) if target else None
            if other is None or other == room or other not in order:
                continue
            if path.startswith("include/") and target.startswith("src/"):
                faults.append(f"{path} is public and includes the private {target}")
            if order[other] > order[room]:
                faults.append(f"{path} includes {target}: '{room}' comes before '{other}'")
            if target.startswith(("src/", "problems/")):
                used.add(target)
                if target not in interface:
                    faults.append(f"{path} includes {target}, a private header of '{other}'")
    faults += [f"{header} is offered to other rooms, which do not use it" for header in sorted(interface - used)]
    return faults


def all_files():
    files = {}
    for root in ("src", "problems", "include"):
        for folder, _, names in os.walk(os.path.join(SOURCE, root)):
            for name in names:
                if re.search(r"\.(cpp|hpp|h|def|in)$", name):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as f:
                        files[os.path.relpath(path, SOURCE)] = f.read()
    return {path: text for path, text in files.items() if not path.startswith("src/cli/templates/")}


class Rooms(unittest.TestCase):
    def test_no_include_goes_up_or_into_a_private_header(self):
        with open(os.path.join(SOURCE, "src", "rooms.txt"), encoding="utf-8") as f:
            rooms = read_rooms(f.read())
        self.assertEqual(violations(rooms, all_files()), [])

    def test_the_public_surface_is_small(self):
        headers = [name for name in all_files() if name.startswith("include/ivp/") and name.endswith(".hpp")]
        self.assertLessEqual(len(headers), 20, sorted(headers))

    def test_the_check_sees_each_kind_of_fault(self):
        rooms = [("base", ["text"]), ("model", ["<ivp/problem.hpp>"]), ("run", ["<ivp/run.hpp>"])]
        clean = {"src/base/text.hpp": "", "src/base/own.hpp": "", "include/ivp/problem.hpp": "", "src/model/a.cpp": '#include "base/text.hpp"\n#include <ivp/problem.hpp>',
                 "include/ivp/run.hpp": "#include <ivp/problem.hpp>"}
        self.assertEqual(violations(rooms, clean), [])
        for path, text, words in (("src/base/b.cpp", "#include <ivp/run.hpp>", "comes before"), ("src/run/b.cpp", '#include "base/own.hpp"', "a private header of 'base'"),
                                  ("include/ivp/problem.hpp", '#include "base/text.hpp"', "is public and includes"), ("src/attic/b.cpp", "", "does not name"),
                                  ("include/ivp/new.hpp", "", "belongs to no room"), ("src/model/a.cpp", "", "do not use it")):
            self.assertIn(words, "\n".join(violations(rooms, {**clean, path: text})), path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
