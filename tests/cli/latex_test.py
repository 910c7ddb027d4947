"""`ivp report --latex` as a user meets it: what it writes, what it refuses."""

import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tool  # noqa: E402

PLAN = """timeout = 20
repeat = 1
rtol = [1e-4, 1e-7]

[[runs]]
problems = ["hires", "chemakzo_dae"]
solvers = ["radau5", "dassl"]
"""


def small_store(folder):
    """A store with eight runs, by its name inside the folder."""
    with open(os.path.join(folder, "plan.toml"), "w", encoding="utf-8") as f:
        f.write(PLAN)
    result = tool.run(["campaign", "plan.toml", "--db", "small.db"], cwd=folder)
    if result.code != 0:
        raise AssertionError(str(result))
    return "small.db"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


class Latex(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        cls.store = small_store(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def report(self, *args):
        return tool.run(["report", "--db", self.store, *args], cwd=self.folder)

    def names(self, folder):
        return sorted(os.listdir(os.path.join(self.folder, folder)))

    def test_writes_the_document_and_its_parts_and_no_book(self):
        result = self.report("--latex", "paper")
        self.assertEqual(result.code, 0, str(result))
        self.assertIn("pdflatex report", result.out)
        parts = [f"{problem}-{part}.tex" for problem in ("chemakzo-dae", "hires") for part in ("chapter", "course", "published", "runs", "schematic", "wp")]
        solvers = [name for name in self.names("paper") if name.startswith("solver-")]
        self.assertIn("solver-radau5-about.tex", solvers)
        whole = ["family-best-profile.tex", "family-best-ranking.tex", "profile.tex", "ranking.tex", "report.tex", "summary.tex"]
        self.assertEqual(self.names("paper"), sorted([*parts, *solvers, *whole]))
        chapter = read(self.folder, "paper", "hires-chapter.tex")
        for words in ("\\subsection*{Mathematical description", "\\begin{aligned}", "y_1' &= "):
            self.assertIn(words, chapter)
        for formula in re.findall(r"(?s)\\\[\n(.*?)\\\]", chapter):
            self.assertNotIn("\n\n", formula)  # a blank line ends a formula
        self.assertIn("\\section{What was found}", read(self.folder, "paper", "report.tex"))
        self.assertNotIn("ivp-report.html", os.listdir(self.folder))
        table = read(self.folder, "paper", "hires-runs.tex")
        self.assertIn("% Store: small.db\n", table)
        self.assertIn("% Written again by: ivp report --latex paper --db small.db\n", table)
        self.assertIn(" & 42 & 33 & ", table)  # radau5 at 1e-4, as published
        first = {name: read(self.folder, "paper", name) for name in self.names("paper")}
        self.assertEqual(self.report("--latex", "paper").code, 0)
        self.assertEqual({name: read(self.folder, "paper", name) for name in self.names("paper")}, first)

    def test_writes_the_book_beside_it_on_request(self):
        result = self.report("--latex", "both", "--out", "both.html")
        self.assertEqual(result.code, 0, str(result))
        self.assertTrue(read(self.folder, "both.html").startswith("<!DOCTYPE html>"))
        self.assertIn("report.tex", self.names("both"))

    def test_other_files_stay_and_are_never_replaced(self):
        os.mkdir(os.path.join(self.folder, "mine"))
        for name in ("report.tex", "notes.tex"):
            with open(os.path.join(self.folder, "mine", name), "w", encoding="utf-8") as f:
                f.write("mine\n")
        result = self.report("--latex", "mine")
        self.assertEqual(result.code, 2, str(result))
        self.assertEqual(len(result.faults()), 1)
        self.assertIn("mine/report.tex", result.err)
        self.assertEqual(self.names("mine"), ["notes.tex", "report.tex"])
        os.remove(os.path.join(self.folder, "mine", "report.tex"))
        self.assertEqual(self.report("--latex", "mine").code, 0)
        self.assertEqual(read(self.folder, "mine", "notes.tex"), "mine\n")

    def test_all_faults_at_once(self):
        result = tool.run(["report", "--db", "no.db", "--latex", "no/such/folder", "--out", "page.pdf"], cwd=self.folder)
        self.assertEqual(result.code, 2, str(result))
        self.assertEqual([line.split(":")[1].strip() for line in result.faults()], ["--db", "--out", "--latex"])
        self.assertEqual(self.report("--latex", "plan.toml").code, 2)
        self.assertEqual(self.report("--latex", "").code, 2)


if __name__ == "__main__":
    unittest.main()
