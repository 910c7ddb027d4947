"""What README.md, CONTRIBUTING.md, docs/ and the README of folders show is true. (Links: tests/house/pages_test.py.)

Every fenced `sh` block is executed, unless its first line is `# not run`, or `# needs PROGRAM` and there is no such program (then the test says so):
  - in a copy of the source tree, so that nothing is written into the tree itself, with `./ivp` starting the tool under test, and
    build/release/lib being that of the build under test. What a page has made is deleted before the next page: each page works on its own;
  - `./ivp demo` and `./check` are not started (they would start these tests again), but must be there and executable;
  - a line that ends with `# exit code N` must end with that code, every other one with 0;
  - a block whose first line is `# slow` is run with IVP_SLOW_PAGES only, which runs the pages that have such blocks (the test cli/documents_slow).
IVP_PART=K/N takes every Nth page from the Kth on, so that the parts can run in parallel (cli/documents_1, ...); cli/documents_test is all the rest.
A `text` block after it, directly or after prose, is what the commands print: each of its lines must be found in the output, in the order of its block. Numbers may
differ by a thousandth (those with two decimals by 0.02). Lines about time are skipped, and so are CPU time and ratio at the end of a row of `ivp wp`. What depends on the
machine is a `sample` block, which is not compared. C++ in CONTRIBUTING.md must compile.
"""

import glob
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

SOURCE = tool.setting("IVP_SOURCE")
NOT_STARTED = re.compile(r"^\./(ivp demo|check( full)?)$")
ABOUT_TIME = re.compile(r"\bCPU\b|\bsec\b|\bseconds\b")
TIME_AND_RATIO = re.compile(r" +\d\.\d\de[-+]\d\d\?? +\d+\.\d\d *$")  # the last columns of a row of `ivp wp`


SLOW = "IVP_SLOW_PAGES" in os.environ
PART, PARTS = map(int, os.environ.get("IVP_PART", "1/1").split("/"))
LIBRARIES = os.path.join(tool.setting("IVP_BUILD"), "lib")


def documents():
    patterns = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "examples/README.md", "data/results/README.md", "bench/README.md", "plugins/*/README.md")
    return [os.path.relpath(path, SOURCE) for pattern in patterns for path in sorted(glob.glob(os.path.join(SOURCE, pattern), recursive=True))]


class Block:
    """A fenced block: its language, its lines, and the line number it begins at."""

    def __init__(self, language, number):
        self.language, self.number, self.lines = language, number, []


def blocks_of(document):
    blocks, inside, indent = [], False, ""
    with open(os.path.join(SOURCE, document), encoding="utf-8") as f:
        for number, line in enumerate(f.read().splitlines(), 1):
            fence = re.match(r"( *)```(\w*) *$", line)
            if fence and not inside:
                indent = fence[1]
                blocks.append(Block(fence[2], number))
                inside = True
            elif fence and inside:
                inside = False
            elif inside:
                blocks[-1].lines.append(line.removeprefix(indent))
    if inside:
        raise AssertionError(f"{document}:{blocks[-1].number}: the block is not closed")
    return blocks


def is_run(block):
    first = block.lines[0].strip() if block.lines else ""
    return block.language == "sh" and first != "# not run" and (first != "# slow" or SLOW)


def missing_program(block):
    """What the block needs and this machine has not; None if nothing."""
    needs = re.match(r"# needs (\S+)$", block.lines[0].strip()) if block.lines else None
    return needs[1] if needs and shutil.which(needs[1]) is None else None


def commands_of(block):
    """The commands of a block, with lines that end in a backslash joined to the next."""
    text = "\n".join(block.lines).replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def script_of(block):
    script = ["set -eu"]
    for command in commands_of(block):
        expected = re.search(r"# exit code (\d+)$", command)
        if NOT_STARTED.match(command):
            script.append("test -x " + command.split()[0])
        elif expected:
            script.append(f"code=0; {command[:expected.start()].strip()} || code=$?; test $code -eq {expected[1]}")
        else:
            script.append(command)
    return "\n".join(script) + "\n"


def same_word(shown, printed):
    if shown == printed:
        return True
    try:
        a, b = float(shown), float(printed)
    except ValueError:
        return False
    if math.isclose(a, b, rel_tol=1e-3):
        return True
    two_decimals = r"-?\d+\.\d\d"
    return bool(re.fullmatch(two_decimals, shown) and re.fullmatch(two_decimals, printed)) and abs(a - b) < 0.0201


def same_line(shown, printed):
    if TIME_AND_RATIO.search(shown) and TIME_AND_RATIO.search(printed):
        shown, printed = TIME_AND_RATIO.sub("", shown), TIME_AND_RATIO.sub("", printed)
    a, b = re.split(r"[\s,]+", shown.strip()), re.split(r"[\s,]+", printed.strip())
    return len(a) == len(b) and all(map(same_word, a, b))


def first_missing(shown, printed):
    """The first line shown that is not printed after the one before it; None if all are."""
    rest = iter(printed)
    for line in shown:
        if line.strip() and not ABOUT_TIME.search(line) and not any(same_line(line, candidate) for candidate in rest):
            return line
    return None


class Comparison(unittest.TestCase):
    """The comparison itself can tell right from wrong."""

    PRINTED = ["steps 42", "scd 0.72 x", "y( 1) = 7.4921290091972963e-04", "CPU-time used: 0.1 sec", "a,1,2", "  1e-04 radau5  2.93  42  3.00e-05?   1.00"]

    def test_what_agrees(self):
        self.assertIsNone(first_missing(["steps   42", "", "  y( 1) = 7.49213e-4", "CPU-time used: 9 sec", "a,1,2"], self.PRINTED))
        self.assertIsNone(first_missing(["scd 0.73 x"], self.PRINTED))
        self.assertIsNone(first_missing(["  1e-04 radau5  2.93  42  7.77e-05   2.50"], self.PRINTED))

    def test_what_does_not(self):
        for line in ("steps 43", "scd 0.75 x", "y( 1) = 7.40e-04", "a,1,3", "steps 42 too many", "stops 42", "1e-04 radau5 2.93 43 3.00e-05 1.00"):
            self.assertEqual(first_missing([line], self.PRINTED), line)
        self.assertEqual(first_missing(["a,1,2", "steps 42"], self.PRINTED), "steps 42", "the order counts")


class Pages(unittest.TestCase):
    """What each page shows, tried."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = os.path.join(folder.name, "ivp")
        shutil.copytree(SOURCE, cls.tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "build", "ivp-demo", "__pycache__"))
        with open(os.path.join(cls.tree, "ivp"), "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec {shlex.quote(tool.TOOL)} "$@"\n')
        os.makedirs(os.path.join(cls.tree, "build", "release"))
        os.symlink(LIBRARIES, os.path.join(cls.tree, "build", "release", "lib"))
        cls.own_files = cls.files_in_tree()

    @classmethod
    def files_in_tree(cls):
        return {os.path.join(at, name) for at, folders, names in os.walk(cls.tree) for name in names + folders}

    def delete_what_the_page_made(self):
        for path in sorted(self.files_in_tree() - self.own_files):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.remove(path)

    def test_every_command_works_and_prints_what_is_shown(self):
        for document in documents()[PART - 1::PARTS]:
            if SLOW and not any(b.lines and b.lines[0].strip() == "# slow" for b in blocks_of(document)):
                continue
            self.delete_what_the_page_made()
            if document == "docs/detest-fortran.md" and not os.path.isdir(LIBRARIES):
                continue  # unavailable in this build, as its configuration says
            printed = None
            for block in blocks_of(document):
                with self.subTest(f"{document}:{block.number}"):
                    if block.language == "text" and printed is not None:
                        self.assertIsNone(first_missing(block.lines, printed), "this line is not printed:\n" + "\n".join(printed))
                    if block.language == "sh":
                        printed = None
                    if is_run(block) and missing_program(block):
                        self.skipTest(f"{document}:{block.number} is not run: {missing_program(block)} is not installed")
                    if is_run(block):
                        done = subprocess.run(["bash", "-c", script_of(block)], cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT, text=True, timeout=tool.TIME_LIMIT_S, check=False)
                        self.assertEqual(done.returncode, 0, f"{script_of(block)}\n{done.stdout}")
                        printed = done.stdout.splitlines()


class Documents(unittest.TestCase):
    """What can be seen without running a page."""

    def test_every_document_is_there(self):
        self.assertLessEqual({"README.md", "CONTRIBUTING.md", "examples/README.md"}, set(documents()))
        self.assertGreaterEqual(sum(is_run(b) for b in blocks_of("README.md")), 5)
        self.assertGreaterEqual(sum(is_run(b) for b in blocks_of("examples/README.md")), 1)

    def test_no_command_is_outside_of_the_blocks_that_are_run(self):
        skipped = (".git", ".github", "build", "node_modules", "corpus", "templates")
        for at, folders, names in os.walk(SOURCE):
            folders[:] = [folder for folder in folders if folder not in skipped]
            for name in (name for name in names if name.endswith(".md")):
                page = os.path.relpath(os.path.join(at, name), SOURCE)
                with open(os.path.join(SOURCE, page), encoding="utf-8") as f:
                    prose = re.sub(r"(?ms)^ *```.*?^ *``` *$", "", f.read())
                self.assertEqual(re.findall(r"(?m)^ {4,}(?:\./)?(?:ivp|gcc|g\+\+|gfortran|cmake|make) .*", prose), [], f"{page}: commands belong in a block of sh")
                if page not in documents():
                    self.assertEqual([b.number for b in blocks_of(page) if b.language == "sh"], [], f"{page} has commands: add it to documents()")

    def test_the_readme_begins_with_the_two_commands(self):
        first = next(b for b in blocks_of("README.md") if b.language == "sh")
        self.assertEqual(commands_of(first), ["./ivp demo", "./check"])
        for name in ("ivp", "check"):
            self.assertTrue(os.access(os.path.join(SOURCE, name), os.X_OK), name)

    def test_commands_and_options_exist(self):
        known = {}
        for command in re.findall(r"(?m)^  (\w+)  +", tool.run(["--help"]).out.split("Commands:")[1]):
            known[command] = set(re.findall(r"--[a-z][a-z0-9-]*", tool.run([command, "--help"]).out))
        self.assertIn("--rtol", known["run"])

        mentioned = 0
        for document in documents():
            lines = [line for block in blocks_of(document) if block.language in ("sh", "") for line in commands_of(block)]
            with open(os.path.join(SOURCE, document), encoding="utf-8") as f:
                lines += re.findall(r"`(\./ivp [^`]*)`", re.sub(r"(?ms)^ *```.*?^ *```", "", f.read()))
            for line in (line for line in lines if line.startswith("./ivp ")):
                with self.subTest(f"{document}: {line}"):
                    mentioned += 1
                    words = re.split(r"[|;>]| &&|#", line)[0].split()[1:]
                    if words[0].startswith("--"):
                        self.assertIn(words[0], ("--help", "--version"))
                        continue
                    self.assertIn(words[0], known)
                    options = {word.split("=")[0] for word in words[1:] if word.startswith("--")}
                    self.assertLessEqual(options, known[words[0]])
        self.assertGreaterEqual(mentioned, 10)

    def test_the_code_in_contributing_compiles(self):
        samples = ["\n".join(b.lines) for b in blocks_of("CONTRIBUTING.md") if b.language == "cpp"]
        self.assertEqual(len(samples), 2, "one problem and one solver")
        for sample in samples:
            problem = re.search(r"template <class R>\nstruct (\w+)", sample)
            if problem:  # a template says nothing until it is used: in double, quad, dual and tracer arithmetic
                sample += f"\nivp::problem check() {{ return ivp::problem_of<ivp::problems::{problem[1]}>(); }}\n"
            compiler = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only", "-I", os.path.join(SOURCE, "include"),
                        "-I", os.path.join(SOURCE, "src")]
            done = subprocess.run([*compiler, "-x", "c++", "-"], input=sample, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_pages_made_from_the_sources_are_up_to_date(self):
        done = subprocess.run([os.path.join(SOURCE, "tools", "reference-pages"), "--check", "--tool", tool.TOOL], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
