"""The report for LaTeX compiles, without a line too wide and without an open reference: that of a small store, and the golden one, whose names and
messages hold everything that means something to TeX. Each part also stands alone in a paper that loads what its head asks for.

Ends with 77 (skipped) and the word `unavailable` where there is no pdflatex.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "cli"))
import latex_test  # noqa: E402
import tool  # noqa: E402

PARTS = re.compile(r"(?m)^==> (\S+) <==\n")


def golden_files():
    """The files that the golden text holds, by name."""
    pieces = PARTS.split(latex_test.read(ROOT, "report", "golden", "latex.tex"))
    return dict(zip(pieces[1::2], pieces[2::2]))


class Compile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def compiled(self, name, folder, times=3):
        """The log of the last pass."""
        for _ in range(times):
            done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name], cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200, check=False)
            self.assertEqual(done.returncode, 0, done.stdout.decode(errors="replace")[-3000:])
        with open(os.path.join(folder, name + ".log"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def assert_clean(self, log):
        for trouble in ("Overfull", "undefined", "multiply defined", "Missing character", "Rerun"):
            found = [line for line in log.splitlines() if trouble in line and not line.startswith("Package: ")]
            self.assertEqual(found, [], trouble)

    def test_a_small_store(self):
        store = latex_test.small_store(self.folder)
        result = tool.run(["report", "--db", store, "--latex", "paper"], cwd=self.folder)
        self.assertEqual(result.code, 0, str(result))
        self.assert_clean(self.compiled("report", os.path.join(self.folder, "paper")))

    def test_tables_of_drift(self):
        """The widest one: andrews has an energy, too."""
        store = os.path.join(self.folder, "mechanics.db")
        for problem, formulation in (("andrews", "baumgarte"), ("caraxis", "ggl")):
            result = tool.run(["run", problem, "radau5", "--rtol", "1e-4", "--formulation", formulation, "--repeat", "1", "--db", store])
            self.assertEqual(result.code, 0, str(result))
        result = tool.run(["report", "--db", store, "--latex", "paper"], cwd=self.folder)
        self.assertEqual(result.code, 0, str(result))
        self.assertIn("andrews-with-formulation-baumgarte-drift.tex", os.listdir(os.path.join(self.folder, "paper")))
        self.assert_clean(self.compiled("report", os.path.join(self.folder, "paper")))

    def test_the_golden_report(self):
        files = golden_files()
        self.assertIn("report.tex", files)
        for name, text in files.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        self.assert_clean(self.compiled("report", self.folder))
        for name, text in files.items():
            if name == "report.tex":
                continue
            with self.subTest(name):
                needs = re.search(r"the preamble needs (.*)", text).group(1)
                with open(os.path.join(self.folder, "alone.tex"), "w", encoding="utf-8") as f:
                    f.write("\\documentclass[a4paper]{article}\n" + needs + "\n\\begin{document}\n\\input{" + name[:-4] + "}\n\\end{document}\n")
                self.compiled("alone", self.folder, times=1)


if __name__ == "__main__":
    if shutil.which("pdflatex") is None:
        print("unavailable: pdflatex (Debian: texlive-latex-recommended, texlive-pictures, lmodern)")
        sys.exit(77)
    unittest.main()
