"""`ivp check --contribution`: what is part of ivp is complete, and what a contribution lacks is named."""

import os
import re
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

SOURCE = tool.setting("IVP_SOURCE")


def check(folder):
    return tool.run(["check", "--contribution", folder])


class Complete(unittest.TestCase):
    def test_every_problem_of_the_test_set(self):
        for name in (n for n in tool.catalog("problems") if not n.startswith("detest-")):
            with self.subTest(name):
                result = check(os.path.join(SOURCE, "problems", name))
                self.assertEqual((result.code, result.err), (0, ""), result)

    def test_every_family_of_solvers(self):
        families = os.path.join(SOURCE, "src", "solvers")
        seen = []
        for family in (f for f in os.listdir(families) if os.path.isdir(os.path.join(families, f)) and f != "common"):
            result = check(os.path.join(families, family))
            self.assertEqual((result.code, result.err), (0, ""), result)
            seen += re.findall(r"(?m)^Checking the files of solver (\S+)$", result.out)
        self.assertEqual(sorted(seen), sorted(name.replace("_", "-") for name in tool.catalog("solvers")))


class Incomplete(tool.Folder):
    """In a small tree with copies of one problem and one family of solvers."""

    def setUp(self):
        super().setUp()
        for name in ("problems/hires", "src/solvers/rodas", "src/catalog"):
            shutil.copytree(os.path.join(SOURCE, name), self.path(name))
        for name in ("src/solvers/solvers.def", "src/CMakeLists.txt", "tests/solvers/rodas_test.cpp", "tests/problems/all_problems_test.cpp",
                     "tests/solvers/radau5_test.cpp"):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            shutil.copy(os.path.join(SOURCE, name), self.path(name))
        self.assertEqual(check(self.path("problems/hires")).code, 0)
        self.assertEqual(check(self.path("src/solvers/rodas")).code, 0)

    def edit(self, name, old, new):
        with open(self.path(name), encoding="utf-8") as f:
            text = f.read()
        self.assertIn(old, text)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))

    def lacks(self, folder, *words):
        result = check(self.path(folder))
        self.assertEqual((result.code, result.err), (1, ""), result)
        for word in words:
            self.assertIn(word, result.out)
        self.assertIn("Some parts are missing.", result.out)

    def test_a_section_of_the_chapter(self):
        self.edit("problems/hires/chapter.md", "## Origin of the problem", "## Somewhere else")
        self.lacks("problems/hires", "MISSING   chapter", "section 'Origin of the problem' is missing or empty")

    def test_an_empty_section(self):
        self.edit("src/solvers/rodas/rodas.md", "## Counters\n", "## Counters\n\n## Numbers\n")
        self.lacks("src/solvers/rodas", "MISSING   chapter", "section 'Counters' is missing or empty")

    def test_the_contributor(self):
        self.edit("problems/hires/chapter.md", "contributor", "friend")
        self.lacks("problems/hires", "does not name the contributor")

    def test_the_evidence_of_the_reference(self):
        self.edit("problems/hires/reference.csv", "# confirmed:", "# note:")
        self.lacks("problems/hires", "MISSING   reference", "'# confirmed:' does not say how the digits were confirmed")

    def test_a_reference_that_is_only_estimated(self):
        self.edit("problems/hires/reference.csv", "# confirmed: ", "# confirmed: estimated, ")
        self.lacks("problems/hires", "a second method of another family must confirm them")

    def test_a_reference_that_cannot_be_read(self):
        self.edit("problems/hires/reference.csv", "component,value", "komponente,wert")
        self.lacks("problems/hires", "MISSING   reference")

    def test_files(self):
        for name in ("chapter.md", "reference.csv", "hires.hpp"):
            os.rename(self.path("problems/hires/" + name), self.path("kept"))
            self.lacks("problems/hires", "problems/hires/" + name, "the file is missing")
            os.rename(self.path("kept"), self.path("problems/hires/" + name))

    def test_the_protocol(self):
        self.edit("problems/hires/hires.hpp", ".protocol", ".rules")
        self.lacks("problems/hires", "describe() does not set 'protocol'")

    def test_the_line_of_the_catalog(self):
        self.edit("src/catalog/problems.def", "IVP_PROBLEM(hires)", "IVP_PROBLEM(hire)")
        self.lacks("problems/hires", "MISSING   catalog", "the line 'IVP_PROBLEM(hires)' or 'IVP_SIZED(hires)' is missing")
        self.edit("src/solvers/solvers.def", "IVP_SOLVER(rodas)", "")
        self.lacks("src/solvers/rodas", "the line 'IVP_SOLVER(rodas)' is missing")

    def test_the_test(self):
        os.remove(self.path("tests/solvers/rodas_test.cpp"))
        self.lacks("src/solvers/rodas", "no test names 'rodas'")

    def test_the_line_of_the_build(self):
        self.edit("src/CMakeLists.txt", "solvers/rodas/rodas.cpp", "")
        self.lacks("src/solvers/rodas", "MISSING   build")


class WrongUse(tool.Folder):
    def test_a_plugin_is_no_contribution(self):
        for what in ("problem", "solver"):
            self.assertEqual(tool.run(["new", what, "mine", "--lang", "c", "--dir", self.path(what)]).code, 0)
            result = check(self.path(what))
            self.assertEqual((result.code, result.out), (2, ""), result)
            for word in (self.path(what), "the folder is a plug-in", "CONTRIBUTING.md", "problems/ID"):
                self.assertIn(word, result.err)

    def test_what_is_no_contribution(self):
        for folder, why in ((os.path.join(SOURCE, "docs"), "neither"), ("/nowhere/at/all", "no such folder"),
                            (os.path.join(SOURCE, "src/solvers/common"), "no chapter")):
            result = check(folder)
            self.assertEqual((result.code, result.out), (2, ""), result)
            for word in (folder, why, "problems/ID"):
                self.assertIn(word, result.err)

    def test_with_other_arguments(self):
        for more in (["hires"], ["--set", "k1=1"], ["--format", "json"]):
            result = tool.run(["check", "--contribution", os.path.join(SOURCE, "problems/hires"), *more])
            self.assertEqual((result.code, result.out), (2, ""), result)

    def test_neither_a_problem_nor_a_folder(self):
        result = tool.run(["check"])
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertIn("ivp list problems", result.err)


if __name__ == "__main__":
    unittest.main()
