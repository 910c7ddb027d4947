"""Models come in from other formats, problems go out to other languages, parameters are swept."""

import ctypes
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

sys.dont_write_bytecode = True
import tool  # noqa: E402

LIBRARY = ctypes.CDLL(tool.setting("IVP_LIBRARY"))
LIBRARY.ivp_test_open.restype = ctypes.c_void_p
NET = """begin parameters
    1 k  0.5  # Constant
end parameters
begin species
    1 A(b)  10
    2 B(a)  0
end species
begin reactions
    1 1 2 k #_R1
end reactions
begin groups
    1 Total  1,2
end groups
"""
EXPORTED = ("hires", "pollu", "transamp")
# Branches for each of many parts, or jumps at given times; the long ones go to C only.
BRANCHED = ("pump", "wheel", "nand", "detest-n-f1", "detest-n-f2", "detest-n-f5")
BRANCHED_AND_LONG = ("water", "tba", "emep")


class Exchange(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("decay.net", NET)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def ivp(self, *args, code=0):
        result = tool.run(list(args), cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return result

    def shell(self, *args):
        subprocess.run(args, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)


class BuiltIn:
    """f of a problem of the catalog, from the C interface."""

    def __init__(self, problem):
        self.handle = ctypes.c_void_p(LIBRARY.ivp_test_open(problem.encode(), b"", 0))
        self.n = LIBRARY.ivp_test_dimension(self.handle)

    def initial(self):
        y = (ctypes.c_double * self.n)()
        LIBRARY.ivp_test_initial(self.handle, y, None)
        return list(y)

    def f(self, t, y):
        out = (ctypes.c_double * self.n)()
        assert LIBRARY.ivp_test_f(self.handle, ctypes.c_double(t), (ctypes.c_double * self.n)(*y), out) == 0
        return list(out)

    def f_or_g(self, t, y, yp):
        """None: refused."""
        numbers = ctypes.c_double * self.n
        out = numbers()
        answer = LIBRARY.ivp_test_g(self.handle, ctypes.c_double(t), numbers(*y), numbers(*yp), out) if yp else LIBRARY.ivp_test_f(self.handle, ctypes.c_double(t), numbers(*y), out)
        return None if answer != 0 else list(out)


def points(problem):
    """The start, and points around it where every component is moved by up to a percent."""
    test = BuiltIn(problem)
    y0 = test.initial()
    for k in range(4):
        y = [v * (1 + 0.01 * k * math.sin(i + k)) + 1e-3 * k * (1 + math.cos(i)) / 2 for i, v in enumerate(y0)]
        yield test, 0.001 * k, y


class Import(Exchange):
    def test_a_network_is_a_problem(self):
        record = self.ivp("run", "decay.net", "radau5", "--rtol", "1e-8", "--tend", "2", "--repeat", "1", "--format", "json").json()
        self.assertAlmostEqual(record["y"][0], 10 * math.exp(-1), places=6)
        self.assertAlmostEqual(record["extra"]["output_Total"], 10, places=9)
        self.assertIn("s1 + s2 = constant", self.ivp("network", "decay.net").out)
        self.assertIn("Total", self.ivp("run", "decay.net", "radau5", "--rtol", "1e-6", "--repeat", "1").out)
        self.ivp("check", "decay.net")
        chapter = self.ivp("show", "decay.net").out
        self.assertIn("s1 -> s2", chapter)
        self.assertIn("Runs evaluate this text", chapter)

    def test_faults_name_the_file(self):
        self.write("wrong.net", NET.replace("1 1 2 k", "1 1 7 k"))
        err = self.ivp("run", "wrong.net", "radau5", "--rtol", "1e-6", code=2).err
        self.assertIn("wrong.net:9:9: the species '7' found; allowed: numbers from 1 to 2", err)
        self.write("wrong.xml", "<sbml level='1' version='2'><model/></sbml>")
        self.assertIn("SBML of level '1' is refused", self.ivp("run", "wrong.xml", "radau5", "--rtol", "1e-6", code=2).err)

    def test_a_large_network_takes_linear_time(self):
        n = 2000
        species = "".join(f"{i} S({i}) {1 if i == 1 else 0}\n" for i in range(1, n + 1))
        reactions = "".join(f"{k + 1} {k % n + 1} {(7 * k + 3) % n + 1} k\n" for k in range(12000))
        self.write("large.net", f"begin parameters\n1 k 1\nend parameters\nbegin species\n{species}end species\nbegin reactions\n{reactions}end reactions\n")
        lines = self.ivp("export", "large.net", "--to", "ivp").out.splitlines()
        self.assertEqual(sum("->" in line for line in lines), 12000)


class Export(Exchange):
    def assert_same(self, problem, f):
        for test, t, y in points(problem):
            ours = f(t, y)
            theirs = test.f(t, y)
            size = max(abs(v) for v in theirs)
            for a, b in zip(ours, theirs):
                self.assertLessEqual(abs(a - b), 1e-14 * size + 4e-15 * abs(b), problem)

    def test_options_of_the_library_are_refused_with_a_language(self):
        for option, value in (("--jacobian", "exact"), ("--generation", "2006")):
            refused = self.ivp("export", "hires", "--to", "c", option, value, "--out", "o.c", code=2).err
            self.assertIn(f"{option}: '{value}' given with --to, which writes equations only; allowed: with --fortran", refused)
            self.assertFalse(os.path.exists(self.path("o.c")))

    def test_c_gives_the_same_f(self):
        for problem in EXPORTED:
            self.ivp("export", problem, "--to", "c", "--out", "p.c", "--force")
            self.shell("cc", "-O1", "-Wall", "-Werror", "-Wno-unused-const-variable", "-ffp-contract=off", "-shared", "-fPIC", "-o", problem + ".so", "p.c", "-lm")
            library = ctypes.CDLL(self.path(problem + ".so"))

            def f(t, y):
                given, out = (ctypes.c_double * len(y))(*y), (ctypes.c_double * len(y))()
                self.assertEqual(library[problem + "_f"](ctypes.c_double(t), given, out), 0)
                return list(out)

            self.assert_same(problem, f)

    def test_fortran_gives_the_same_f(self):
        for problem in EXPORTED:
            self.ivp("export", problem, "--to", "fortran", "--out", "p.f90", "--force")
            n = len(next(points(problem))[2])
            self.write("main.f90", f"subroutine f_of(t, y, out) bind(c)\nuse {problem}, only: f, init, y0\nuse iso_c_binding\nreal(c_double), intent(in) :: t, y({n})\n"
                                   f"real(c_double), intent(out) :: out({n})\ninteger :: ierr\ncall init()\ncall f(t, y, out, ierr)\nend subroutine\n")
            self.shell("gfortran", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", problem + "_f.so", "p.f90", "main.f90")
            library = ctypes.CDLL(self.path(problem + "_f.so"))

            def f(t, y):
                given, out = (ctypes.c_double * len(y))(*y), (ctypes.c_double * len(y))()
                library.f_of(ctypes.byref(ctypes.c_double(t)), given, out)
                return list(out)

            self.assert_same(problem, f)

    def test_python_gives_the_same_f(self):
        for problem in EXPORTED:
            names = {}
            exec(self.ivp("export", problem, "--to", "python").out, names)  # pylint: disable=exec-used
            self.assert_same(problem, names["f"])
            self.assertEqual(names["y0"], next(points(problem))[2])
            self.assertEqual(len(names["reference"]), names["n"])
        self.assertEqual(len(names["mass"]), 14)  # transamp: three capacitors between two nodes, two to the ground

    def test_branches_are_statements(self):
        self.write("kink.ivp", "interval 0 .. 1\nstate x = -1, y = 1\nx' = if x < 0 then 1 else sqrt(x)\ny' = -y + (if t < 0.5 then 1 else 2)\n")
        names = {}
        exec(self.ivp("export", "kink.ivp", "--to", "python").out, names)  # pylint: disable=exec-used
        self.assertEqual(names["f"](0.0, [-1.0, 1.0]), [1.0, 0.0])
        self.assertEqual(names["f"](0.75, [4.0, 1.0]), [2.0, 1.0])
        self.ivp("export", "kink.ivp", "--to", "c", "--out", "kink.c")
        self.shell("cc", "-Wall", "-Werror", "-Wno-unused-const-variable", "-c", "kink.c")

    def branched_points(self, names):
        """Over the whole interval, from nearly the start to far from it: all sides of the branches, and arguments that are refused."""
        ide = "yp0" in names
        for k in range(24):
            t = names["t0"] + (names["tend"] - names["t0"]) * (0.37 * k % 1)
            far = 10.0 ** (-6 + 0.3 * k)
            y = [v + far * math.sin(3 * i + k) * (abs(v) + 1e-3) for i, v in enumerate(names["y0"])]
            yp = [far * math.cos(i + k) for i in range(names["n"])] if ide else None
            yield t, y, yp

    def assert_same_branches(self, problem, names, call):
        test, answers = BuiltIn(problem), []
        for t, y, yp in self.branched_points(names):
            ours, theirs = call(t, y, yp), test.f_or_g(t, y, yp)
            answers.append(theirs is not None)
            self.assertEqual(ours is None, theirs is None, (problem, t))
            if theirs is None or not all(map(math.isfinite, theirs)):
                continue
            size = max(abs(v) for v in theirs)
            for a, b in zip(ours, theirs):
                self.assertLessEqual(abs(a - b), 1e-12 * size, (problem, t))
        self.assertGreater(sum(answers), 4, problem)

    def exported_names(self, problem):
        names = {}
        exec(self.ivp("export", problem, "--to", "python").out, names)  # pylint: disable=exec-used
        return names

    def test_many_branches_in_python(self):
        for problem in BRANCHED:
            names = self.exported_names(problem)

            def call(t, y, yp):
                try:
                    return names["g"](t, y, yp) if yp else names["f"](t, y)  # pylint: disable=cell-var-from-loop
                except ValueError as e:
                    self.assertIn("outside the domain", str(e))
                    return None

            self.assert_same_branches(problem, names, call)

    def test_many_branches_in_c_and_fortran(self):
        for problem in BRANCHED + BRANCHED_AND_LONG:
            names = self.exported_names(problem)
            identifier, n, ide = problem.replace("-", "_"), names["n"], "yp0" in names
            numbers = ctypes.c_double * n
            self.ivp("export", problem, "--to", "c", "--out", "p.c", "--force")
            self.shell("cc", "-O0", "-Wall", "-Werror", "-Wno-unused-const-variable", "-ffp-contract=off", "-shared", "-fPIC", "-o", identifier + ".so", "p.c", "-lm")
            in_c = ctypes.CDLL(self.path(identifier + ".so"))[identifier + ("_g" if ide else "_f")]

            def call_c(t, y, yp):
                out = numbers()  # pylint: disable=cell-var-from-loop
                given = [numbers(*y)] + ([numbers(*yp)] if yp else [])  # pylint: disable=cell-var-from-loop
                return None if in_c(ctypes.c_double(t), *given, out) != 0 else list(out)  # pylint: disable=cell-var-from-loop

            self.assert_same_branches(problem, names, call_c)
            if problem in BRANCHED_AND_LONG:
                continue
            self.ivp("export", problem, "--to", "fortran", "--out", "p.f90", "--force")
            routine, rates = ("g_of", ", yp") if ide else ("f", "")
            self.write("main.f90", f"subroutine of(t, y{rates}, out, ierr) bind(c)\nuse {identifier}, only: {routine}\nuse iso_c_binding\nreal(c_double), intent(in) :: t, y({n}){rates}"
                       + (f"({n})" if ide else "") + f"\nreal(c_double), intent(out) :: out({n})\ninteger(c_int), intent(out) :: ierr\ncall {routine}(t, y{rates}, out, ierr)\nend subroutine\n")
            self.shell("gfortran", "-O0", "-ffp-contract=off", "-shared", "-fPIC", "-o", identifier + "_f.so", "p.f90", "main.f90")
            in_fortran = ctypes.CDLL(self.path(identifier + "_f.so"))["of"]

            def call_fortran(t, y, yp):
                out, refused = numbers(), ctypes.c_int()  # pylint: disable=cell-var-from-loop
                given = [numbers(*y)] + ([numbers(*yp)] if yp else [])  # pylint: disable=cell-var-from-loop
                in_fortran(ctypes.byref(ctypes.c_double(t)), *given, out, ctypes.byref(refused))  # pylint: disable=cell-var-from-loop
                return None if refused.value != 0 else list(out)

            self.assert_same_branches(problem, names, call_fortran)

    def test_branches_of_many_parts_do_not_multiply(self):
        """Forty conditions, one after the other: 2^40 ways, forty statements."""
        rows = "".join(f"state x{i} = {i - 20}\nx{i}' = (if x{i} < 0 then -x{i} else sqrt(x{i})) + min(x{i}, t)\n" for i in range(40))
        self.write("many.ivp", "interval 0 .. 1\n" + rows)
        names = self.exported_names("many.ivp")
        y = [0.25 * (i - 20) for i in range(40)]
        for value, x in zip(names["f"](0.5, y), y):
            self.assertAlmostEqual(value, (-x if x < 0 else math.sqrt(x)) + min(x, 0.5), places=14)

    def test_branches_come_back_as_text(self):
        for problem in ("pump", "nand", "detest-n-f5"):
            self.ivp("export", problem, "--to", "ivp", "--out", "p.ivp", "--force")
            names, again = self.exported_names(problem), self.exported_names("p.ivp")

            def call(t, y, yp):
                try:
                    return again["g"](t, y, yp) if yp else again["f"](t, y)  # pylint: disable=cell-var-from-loop
                except ValueError:
                    return None

            self.assert_same_branches(problem, names, call)

    def test_all_languages(self):
        for language, mark in (("c++", "namespace hires {"), ("julia", "function f!(out, y, p, t)"), ("latex", "\\begin{align*}"), ("sbml", "<rateRule variable="),
                               ("ivp", "interval 0 .. 321.8122")):
            self.assertIn(mark, self.ivp("export", "hires", "--to", language).out)
        self.assertIn("# Not tested", self.ivp("export", "hires", "--to", "julia").out)
        self.ivp("export", "transamp", "--to", "c++", "--out", "t.hpp")
        self.write("t.cpp", '#include "t.hpp"\nint main() { double d[8]; return transamp::f(0, transamp::y0, d); }\n')
        self.shell("c++", "-std=c++17", "-Wall", "-o", "t", "t.cpp")
        self.shell("./t")

    @unittest.skipUnless(shutil.which("pdflatex"), "needs pdflatex")
    def test_latex_typesets(self):
        """Sums, fractions and cases; mass matrices and domains; an implicit form."""
        for problem in ("hires", "transamp", "emep", "nand", "wheel", "decay.net"):
            self.ivp("export", problem, "--to", "latex", "--out", "body.tex", "--force")
            self.write("paper.tex", "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n\\input{body}\n\\end{document}\n")
            self.shell("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
            self.assertTrue(os.path.exists(self.path("paper.pdf")), problem)
            os.remove(self.path("paper.pdf"))

    def test_wrong_use(self):
        self.assertIn("allowed: c, c++, fortran", self.ivp("export", "hires", "--to", "cobol", code=2).err)
        self.assertIn("--to LANGUAGE or --fortran DIR", self.ivp("export", "hires", code=2).err)
        self.assertIn("refuses arguments outside its domain", self.ivp("export", "transamp", "--to", "sbml", code=2).err)
        self.assertIn("a DAE of index 2, which SBML cannot express", self.ivp("export", "fekete", "--to", "sbml", code=2).err)
        self.assertIn("the formula of a plug-in is not known", self.ivp("export", tool.example("problem_in_c") if os.path.exists(tool.example("problem_in_c")) else "./no.so", "--to", "c", code=2).err)
        self.write("mine.c", "int main(void) { return 0; }\n")
        self.ivp("export", "hires", "--to", "c", "--out", "mine.c", code=2)
        self.assertIn("main", self.read("mine.c"))


class RoundTrips(Exchange):
    def f_at(self, name, y):
        text = self.ivp("export", name, "--to", "python").out
        names = {}
        exec(text, names)  # pylint: disable=exec-used
        return names["f"](0.25, y), names["y0"]

    def test_text_to_text(self):
        """From a text through its formula to a text again, and that a second time: the same to the last bit."""
        self.ivp("export", "hires", "--to", "ivp", "--out", "once.ivp")
        self.assertEqual(self.ivp("export", "once.ivp", "--to", "ivp").out, self.read("once.ivp"))
        y = next(points("hires"))[2]
        self.assertEqual(self.f_at("once.ivp", y), self.f_at("hires", y))
        self.assertEqual(self.ivp("run", "once.ivp", "radau5", "--rtol", "1e-7", "--repeat", "1", "--format", "json").json()["outcome"], "success")

    def test_a_domain_and_a_mass_matrix(self):
        self.ivp("export", "transamp", "--to", "ivp", "--out", "t.ivp")
        self.assertEqual(self.read("t.ivp").count("require "), 2)
        records = [self.ivp("run", name, "radau5", "--rtol", "1e-8", "--atol", "1e-8", "--h0", "1e-8", "--repeat", "1", "--format", "json").json() for name in ("transamp", "t.ivp")]
        self.assertEqual(*([r[key] for key in ("form", "outcome")] for r in records))
        for a, b in zip(*(r["y"] for r in records)):
            self.assertAlmostEqual(a, b, places=6)

    def test_network_to_text(self):
        self.ivp("export", "decay.net", "--to", "ivp", "--out", "decay.ivp")
        self.assertEqual(self.f_at("decay.ivp", [3.0, 4.0]), self.f_at("decay.net", [3.0, 4.0]))

    def test_a_network_goes_out_as_reactions(self):
        """Species, reactions and named parameters, not the equations that follow from them."""
        self.write("enzyme.ivp", "interval 0 .. 3\nparameter k1 = 2, k2 = 0.5\nconstant total = 2*k1\nspecies E = 1, S = total, C = 0, P = 0\nstate heat = 0\n"
                                 "let speed = k2*C\nE + S -> C ; k1\nC -> E + 2 P ; rate speed\nP -> ; rate 0.1*P*E/(1 + S)\nheat' = speed - 0.1*heat\n")
        for name, setting, own, y in (("enzyme.ivp", "k1=3", ["E", "S", "C", "P", "heat"], [0.5, 0.75, 0.25, 0.125, 0.0625]), ("decay.net", "k=0.25", ["s1", "s2"], [3.0, 4.0])):
            self.ivp("export", name, "--to", "sbml", "--set", setting, "--out", "n.xml", "--force")
            ElementTree.fromstring(self.read("n.xml"))
            theirs, ours = self.exported_f(name, "--set", setting), self.exported_f("n.xml")
            names = [line.split()[1] for line in self.ivp("export", "n.xml", "--to", "ivp").out.splitlines() if line.startswith(("species ", "state "))]
            f = dict(zip(names, ours["f"](0.25, [y[own.index(v)] for v in names])))
            start = dict(zip(names, ours["y0"]))
            for value, v in zip(theirs["f"](0.25, y), own):
                self.assertAlmostEqual(value, f[v], places=14, msg=name)
            self.assertEqual(theirs["y0"], [start[v] for v in own])
        self.ivp("export", "enzyme.ivp", "--to", "sbml", "--set", "k1=3", "--out", "n.xml", "--force")
        sbml = self.read("n.xml")
        self.assertEqual(sbml.count("<reaction "), 3)
        self.assertIn('<parameter id="k1" value="3" constant="true"/>', sbml)
        self.assertIn('<modifierSpeciesReference species="E"/>', sbml)
        self.assertEqual(sbml.count("<rateRule "), 1)
        self.assertIn("E + S -> C", self.ivp("export", "n.xml", "--to", "ivp").out)

    def exported_f(self, name, *more):
        names = {}
        exec(self.ivp("export", name, "--to", "python", *more).out, names)  # pylint: disable=exec-used
        return names

    def test_sbml_to_text_to_sbml(self):
        self.ivp("export", "hires", "--to", "sbml", "--out", "a.xml")
        self.ivp("export", "a.xml", "--to", "ivp", "--out", "a.ivp")
        self.ivp("export", "a.ivp", "--to", "sbml", "--out", "b.xml")
        y = next(points("hires"))[2]
        first, second, third = (self.f_at(name, y) for name in ("a.xml", "a.ivp", "b.xml"))
        self.assertEqual(first, second)
        self.assertEqual(first[1], third[1])
        for a, b, c in zip(first[0], third[0], self.f_at("hires", y)[0]):
            self.assertAlmostEqual(a, b, delta=1e-14 * (1 + abs(a)))
            self.assertAlmostEqual(a, c, delta=1e-14 * (1 + abs(a)))
        self.assertIn("interval 0 .. 321.8122", self.read("a.ivp"))


class Sweeps(Exchange):
    RUN = ("run", "decay.net", "radau5", "--rtol", "1e-8", "--tend", "2", "--repeat", "1")

    def test_a_range_is_a_table(self):
        out = self.ivp(*self.RUN, "--set", "k=0.1:10:1", "--format", "csv").out.splitlines()
        self.assertEqual([line.split(",")[0] for line in out], ["k", "0.1", "1", "10"])
        self.assertTrue(all(line.split(",")[1] == "success" for line in out[1:]))
        shown = self.ivp(*self.RUN, "--set", "k=1,2,5", "--plot", "s2").out
        self.assertIn("s2 against k", shown)
        self.assertIn("Total", shown)

    def test_files(self):
        self.ivp(*self.RUN, "--set", "k=1,2,5", "--plot", "s1", "--out", "s.svg")
        self.assertIn("<svg", self.read("s.svg"))
        self.ivp(*self.RUN, "--set", "k=1,2,5", "--out", "s.csv")
        rows = [line.split(",") for line in self.read("s.csv").splitlines()]
        total = rows[0].index("Total")
        for row in rows[1:]:
            self.assertAlmostEqual(float(row[total]), 10, places=8)

    def test_combinations_and_store(self):
        self.write("two.ivp", "interval 0 .. 1\nparameter a = 1, b = 2\nstate x = 1\nx' = -a*b*x\n")
        out = self.ivp("run", "two.ivp", "radau5", "--rtol", "1e-9", "--repeat", "1", "--set", "a=1,2", "--set", "b=3,4", "--db", "s.db", "--format", "csv").out.splitlines()
        self.assertEqual(len(out), 5)
        for line in out[1:]:
            a, b, *_, x = line.split(",")
            self.assertAlmostEqual(float(x), math.exp(-float(a) * float(b)), places=7)
        self.assertIn("4", self.ivp("query", "--db", "s.db", "SELECT count(*) FROM runs").out)

    def test_two_parameters_are_several_curves(self):
        self.write("two.ivp", "interval 0 .. 1\nparameter a = 1, b = 2\nstate x = 1\nx' = -a*b*x\n")
        self.ivp("run", "two.ivp", "radau5", "--rtol", "1e-6", "--repeat", "1", "--set", "a=1,2,3", "--set", "b=3,4", "--plot", "x", "--out", "two.svg")
        svg = self.read("two.svg")
        self.assertEqual(svg.count('<g class="series '), 2 * 2)  # and a key for each
        self.assertIn("b = 3", svg)
        self.assertIn("b = 4", svg)

    def test_a_kept_run_has_a_command_of_its_own(self):
        self.ivp(*self.RUN, "--set", "k=1,2", "--db", "s.db")
        commands = self.ivp("query", "--db", "s.db", "SELECT command FROM runs").out
        self.assertIn("--set k=2 ", commands)
        self.assertNotIn("k=1,2", commands)

    def test_work_and_precision(self):
        wp = ("wp", "decay.net", "--solvers", "radau5,vode", "--rtol", "1e-4,1e-6", "--tend", "2", "--repeat", "1")
        out = self.ivp(*wp, "--set", "k=0.25,1,2", "--out", "w.csv", "--out", "w.svg", "--out", "w.html", "--db", "s.db").out
        head = out.splitlines()[1].split()
        self.assertEqual(head[:4], ["solver", "rtol", "k", "outcome"])
        rows = [line.split() for line in out.splitlines()[2:14]]
        self.assertEqual([r[:3] for r in rows], [[s, t, k] for t in ("1e-04", "1e-06") for s in ("radau5", "vode") for k in ("0.25", "1", "2")])
        self.assertEqual(len(self.read("w.csv").splitlines()), 13)
        self.assertEqual(self.read("w.svg").count('<g class="series '), 2 * 4)
        self.assertIn("k from 0.25 to 2", self.read("w.html"))
        self.assertIn("12", self.ivp("query", "--db", "s.db", "SELECT count(*) FROM runs").out)
        self.ivp("report", "--db", "s.db", "--out", "report.html")
        self.assertIn("k from 0.25 to 2", self.read("report.html"))
        self.assertIn("allowed: .csv, .json, .svg, .html", self.ivp(*wp, "--set", "k=1,2", "--out", "w.tex", code=2).err)
        self.assertIn("allowed: a number, numbers such as 1,2,5", self.ivp(*wp, "--set", "k=1:2", code=2).err)

    def test_a_plan_takes_lists(self):
        self.write("plan.toml", 'problems = ["./decay.net"]\nsolvers = ["radau5"]\nrtol = 1e-6\nset = { k = [1, 2, 5] }\n')
        self.assertIn("3 runs", self.ivp("campaign", "plan.toml", "--dry-run").out)
        self.write("plan.toml", 'problems = ["./decay.net"]\nsolvers = ["radau5"]\nrtol = 1e-6\nset = { k = "1:10:x" }\n')
        self.assertIn("plan.toml:4", self.ivp("campaign", "plan.toml", "--dry-run", code=2).err)
        self.write("plan.toml", 'problems = ["./decay.net"]\nsolvers = ["radau5"]\nrtol = 1e-6\nset = { k = [] }\n')
        self.assertEqual(self.ivp("campaign", "plan.toml", "--dry-run", code=2).err, "ivp: plan.toml:4:13: set: [] given for k; allowed: at least one number\n")

    def test_wrong_use(self):
        self.assertIn("allowed: a number, numbers such as 1,2,5", self.ivp(*self.RUN, "--set", "k=1:2", code=2).err)
        for command in (self.RUN, ("wp", "decay.net", "--solvers", "radau5", "--rtol", "1e-4")):
            self.assertEqual(self.ivp(*command, "--set", "k=1:2", code=2).err.count("given"), 1, "one fault, one message")
        self.assertIn("at most 10000 values", self.ivp(*self.RUN, "--set", "k=1e-300:1e300:1000", code=2).err)
        self.assertIn("'nothing' given; allowed: scd, mescd, steps, f, jacobians, lu, cpu, Total, s1, s2", self.ivp(*self.RUN, "--set", "k=1,2", "--plot", "nothing", code=2).err)
        self.ivp(*self.RUN, "--set", "k=1,2", "--plot", "nothing", "--db", "s.db", code=2)
        self.assertFalse(os.path.exists(self.path("s.db")), "no run before the fault is found")
        self.assertIn("--plot: given for one run", self.ivp(*self.RUN, "--plot", "s1", code=2).err)
        sweep = (*self.RUN, "--set", "k=1,2", "--db", "s.db")
        for given, fault in ((("--trajectory", "t.csv"), "--trajectory: given with several values of a parameter; allowed: with one run"),
                             (("--at", "1"), "--at: given with several values of a parameter; allowed: with one run"),
                             (("--components", "1"), "--components: given with several values of a parameter; allowed: with one run"),
                             (("--listing", "original"), "--listing original: given with several values of a parameter; allowed: with one run"),
                             (("--plot", "s1", "--format", "csv"), "--plot: given with --format csv; allowed: with --format text, or with --out FILE.svg"),
                             (("--boundary", "nothing"), "--boundary: 'nothing' given; allowed: own, plug-in"),
                             (("--atol", "-1"), "atol")):
            self.assertIn(fault, self.ivp(*sweep, *given, code=2).err, given)
            self.assertFalse(os.path.exists(self.path("s.db")), given)


class Trajectories(Exchange):
    RUN = ("run", "decay.net", "radau5", "--rtol", "1e-9", "--tend", "2", "--repeat", "1")

    def test_names_outputs_and_times(self):
        self.ivp(*self.RUN, "--trajectory", "t.csv", "--at", "0.5,1,2")
        rows = [line.split(",") for line in self.read("t.csv").splitlines()]
        self.assertEqual(rows[0], ["t", "s1", "s2", "Total"])
        self.assertEqual([float(r[0]) for r in rows[1:]], [0.5, 1, 2])
        for r in rows[1:]:
            self.assertAlmostEqual(float(r[1]), 10 * math.exp(-0.5 * float(r[0])), places=6)
            self.assertAlmostEqual(float(r[3]), 10, places=9)
        self.assertIn("--components: given without --trajectory", self.ivp(*self.RUN, "--components", "1", code=2).err)
        self.assertIn("--components", self.ivp(*self.RUN, "--trajectory", "c.csv", "--components", "0", code=2).err)
        self.assertIn("from a smaller number to a larger one", self.ivp(*self.RUN, "--trajectory", "c.csv", "--components", "2-1", code=2).err)
        self.assertIn("--at: given without --trajectory", self.ivp(*self.RUN, "--at", "1", code=2).err)
        self.assertIn("--at: 9 given; allowed for decay in this run: times from 0 to 2", self.ivp(*self.RUN, "--trajectory", "c.csv", "--at", "1,9", code=2).err)
        self.ivp(*self.RUN, "--trajectory", "c.csv", "--at", "0,2")
        self.assertEqual(self.read("c.csv").splitlines()[1], "0,10,0,10")

    def test_another_start(self):
        record = self.ivp(*self.RUN, "--y0", "s1=20,s2=1", "--format", "json").json()
        self.assertAlmostEqual(record["y"][0], 20 * math.exp(-1), places=6)
        self.assertEqual(record["parameters"], {"y0(s1)": "20", "y0(s2)": "1"})
        self.assertIn("unknown component 's3'", self.ivp(*self.RUN, "--y0", "s3=20", code=2).err)
        self.assertIn("y0: s1 is given twice, also as y1; allowed: once", self.ivp(*self.RUN, "--y0", "s1=20,y1=5", code=2).err)
        self.assertIn("y0: s2 is given twice, also as y2; allowed: once", self.ivp(*self.RUN, "--y0", "y2=20", "--y0", "s2=5", code=2).err)
        hires = json.loads(self.ivp("run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1", "--y0", "y1=0.5", "--format", "json").out)
        self.assertIsNone(hires["scd"])


if __name__ == "__main__":
    unittest.main()
