"""`ivp scale` as a user meets it: the table with exponents, the files, the store, wrong use."""

import csv
import json
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import tool  # noqa: E402

SIZES = ["bruss", "--set", "N=20,40,80"]
SOLVERS = ["--solvers", "radau5,rodas"]


class Scale(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def measured(self, *args):
        result = tool.run(["scale", *args, "--repeat", "1"])
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def test_a_row_for_each_size_and_solver_and_the_exponents(self):
        out = self.measured(*SIZES, *SOLVERS, "--out", self.path("runs.csv"))
        with open(self.path("runs.csv"), newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([(r["dimension"], r["solver"]) for r in rows], [(n, s) for n in ("40", "80", "160") for s in ("radau5", "rodas")])
        table = re.findall(r"(?m)^ *(\d+) (radau5|rodas) +\S* *\S* +(\d+) +(\d+) +(\d+) +(\d+) +\S+ +\d+\.\d\d$", out)
        self.assertEqual([(n, s, steps) for n, s, steps, *_ in table], [(r["dimension"], r["solver"], r["steps"]) for r in rows], out)
        for name in ("radau5", "rodas"):
            exponents = re.findall(rf"(?m)^{name} +(-?\d+\.\d\d) +(-?\d+\.\d\d) +(-?\d+\.\d\d) +(-?\d+\.\d\d) +(-?\d+\.\d\d)$", out)
            self.assertEqual(len(exponents), 1, out)
            self.assertLess(abs(float(exponents[0][2])), 0.5, "the steps hardly depend on the size")
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_a_range_is_rounded_for_a_whole_parameter(self):
        out = self.measured("bruss", "--set", "N=20:100:3", "--solvers", "rodas")
        self.assertEqual(re.findall(r"(?m)^ *(\d+) rodas", out), ["40", "86", "186"])

    def test_the_diagram_has_a_curve_for_each_solver_with_its_exponent(self):
        self.measured(*SIZES, *SOLVERS, "--out", self.path("d.svg"), "--out", self.path("d.html"), "--out", self.path("d.json"), "--work", "steps")
        svg = open(self.path("d.svg"), encoding="utf-8").read()
        xml.etree.ElementTree.fromstring(svg)
        self.assertEqual(len(set(re.findall(r'class="(series [^"]*)"', svg))), 2)  # a curve and the label at its end have one class
        for name in ("radau5", "rodas"):
            self.assertRegex(svg, rf"{name} n\^-?\d\.\d\d")
        page = open(self.path("d.html"), encoding="utf-8").read()
        self.assertIn("Work against size", page)
        self.assertEqual(len(json.load(open(self.path("d.json"), encoding="utf-8"))), 6)

    def test_the_store_and_the_report_have_the_sweep(self):
        db, book = self.path("s.db"), self.path("book.html")
        self.measured(*SIZES, *SOLVERS, "--db", db)
        result = tool.run(["report", "--db", db, "--out", book])
        self.assertEqual(result.code, 0, result)
        text = open(book, encoding="utf-8").read()
        self.assertIn("Work against size", text)
        self.assertRegex(text, r"radau5 n\^-?\d\.\d\d")

    def test_a_solver_that_takes_too_long_is_not_tried_on_larger_sizes(self):
        # With 2000 equations each step factors dense matrices for a quarter of a second: hundreds of steps take longer than the limit on any machine.
        result = tool.run(["scale", "bruss", "--set", "N=5,10,20,1000,2000", "--solvers", "radau5", "--algebra", "dense", "--rtol", "1e-8", "--timeout", "1",
                           "--repeat", "1"])
        self.assertEqual(result.code, 0, result)
        self.assertEqual(re.findall(r"(?m)^ *(\d+) radau5", result.out), ["10", "20", "40", "2000"])
        self.assertRegex(result.out, r"radau5 at n = .*timed_out")

    def test_what_was_measured_is_printed_if_no_solver_is_left_for_three_sizes(self):
        result = tool.run(["scale", "bruss", "--set", "N=5,1000,2000", "--solvers", "radau5", "--algebra", "dense", "--rtol", "1e-8", "--timeout", "1",
                           "--repeat", "1", "--out", self.path("runs.csv")])
        self.assertEqual((result.code, result.err), (1, "ivp: only 2 sizes were measured, because no solver was left for larger ones: an exponent needs 3\n"), result)
        self.assertEqual(re.findall(r"(?m)^ *(\d+) radau5", result.out), ["10", "2000"])
        self.assertRegex(result.out, r"radau5 at n = 2000: timed_out")
        with open(self.path("runs.csv"), newline="", encoding="utf-8") as f:
            self.assertEqual([r["outcome"] for r in csv.DictReader(f)], ["success", "timed_out"])

    def test_wrong_use(self):
        for args, words in ((["bruss", "--set", "N=20,40,80"], ["no solvers given", "--solvers radau5"]),
                            (["bruss", *SOLVERS], ["--set: no parameter has several values", "N=20:2000:3"]),
                            (["bruss", *SOLVERS, "--set", "N=20,40"], ["2 sizes", "at least 3"]),
                            (["bruss", *SOLVERS, "--set", "alpha=1,2,3"], ["1 size", "at least 3"]),
                            (["bruss", *SOLVERS, "--set", "M=1,2,3"], ["M", "allowed"]),
                            ([*SIZES, *SOLVERS, "--out", "x.png"], ["'x.png' given", ".svg, .html, .csv or .json"]),
                            ([*SIZES, *SOLVERS, "--work", "money"], ["'money' given", "cpu, wall, steps, f, lu, memory"]),
                            (["pendulums", "--set", "N=2,3,4", "--solvers", "dopri5"], ["dopri5"])):
            result = tool.run(["scale", *args])
            self.assertEqual((result.code, result.out), (2, ""), (args, result))
            for w in words:
                self.assertIn(w, result.err)


if __name__ == "__main__":
    unittest.main()
