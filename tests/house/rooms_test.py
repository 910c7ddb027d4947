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


# What loads a file when it is given a name of one. A plug-in that is loaded runs its code: in this process that is allowed only to those here.
OPENING = re.compile(r"\b(open_problem|open_fast_problem|open_solver|problem_parameters|load_plugin_solver|load_plugin_problem|plugin_problem_parameters|"
                     r"exports_problem|load_fortran_problem)\(")
OPENERS = {
    "src/campaign/plan.cpp": "ids of the catalog, and texts, which are arithmetic",
    "src/capi/capi.cpp": "a program that opens a problem has it in its own process, as ivp.h says",
    "src/capi/session.cpp": "the parameters of a problem that the program has opened",
    "src/capi/solve.cpp": "a program that opens a solver has it in its own process, as ivp.h says",
    "src/catalog/catalog.cpp": "defines them",
    "src/catalog/foreign.cpp": "calls them in children",
    "src/catalog/foreign_problem.cpp": "calls them in children",
    "src/check/check_reference.cpp": "names of our own solvers",
    "src/choose/tight_reference.cpp": "names of our own solvers",
    "src/cli/check.cpp": "in contained_text",
    "src/cli/choose.cpp": "names of the catalog",
    "src/cli/demo.cpp": "ids of the catalog",
    "src/cli/export.cpp": "ids of the catalog and texts: plug-ins are refused before",
    "src/cli/list.cpp": "ids and names of the catalog",
    "src/cli/network.cpp": "texts: plug-ins are refused before",
    "src/cli/reference.cpp": "ids and names of the catalog",
    "src/cli/report.cpp": "names of the catalog",
    "src/cli/show.cpp": "in contained_text",
    "src/cli/wp.cpp": "names of the catalog",
    "src/detest/problems.cpp": "ids of the catalog",
    "src/drivers/fortran/problem.cpp": "defines one",
    "src/drivers/plugin/problem.cpp": "defines some",
    "src/drivers/plugin/solver_library.cpp": "defines one",
    "src/run/behaviour.cpp": "names of our own solvers",
    "src/run/path_error.cpp": "names of our own solvers",
    "src/store/import.cpp": "ids of the catalog: any other name is refused before",
}


def code_of(text):
    """A source without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def openers(files):
    """{source: how often it opens by a name}"""
    found = {path: len(OPENING.findall(code_of(text))) for path, text in files.items() if path.startswith("src/") and path.endswith(".cpp")}
    return {path: count for path, count in found.items() if count > 0}


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

    def test_only_named_places_open_what_a_name_means_in_this_process(self):
        there = openers(all_files())
        for path in there:
            self.assertIn(path, OPENERS, f"{path}: open_contained_problem and open_contained_solver (src/catalog/foreign.hpp) are for what a user typed")
        self.assertEqual(sorted(OPENERS), sorted(there), "a place that opens nothing any more needs no permission")

    def test_the_check_sees_an_opener(self):
        files = {"src/run/a.cpp": "// open_problem(x)\nopen_contained_problem(x);", "src/run/b.cpp": "const problem p = open_problem(x);", "tests/c.cpp": "open_solver(x)"}
        self.assertEqual(openers(files), {"src/run/b.cpp": 1})

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
