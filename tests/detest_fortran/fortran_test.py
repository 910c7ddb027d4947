"""libnsdtst and libstdtst as a Fortran programmer meets them: compiled with gfortran, linked, run, and compared with `ivp detest --as-1986`."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
import tool  # noqa: E402

SOURCE = tool.setting("IVP_SOURCE")
LIBRARIES = os.path.join(tool.setting("IVP_BUILD"), "lib")
EXAMPLES = os.path.join(SOURCE, "examples", "07_detest_in_fortran")
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = tempfile.TemporaryDirectory()

NO_TIMING = os.path.join(HERE, "no_timing.f")

# A main program for the METHOD of an example: one problem, unscaled, at one tolerance.
MAIN = """
      PROGRAM MAIN
      INTEGER OPTION(10), IDLIST(3)
      REAL TOL(2), FLAG
      DATA OPTION /3, 0, 1, 7*0/
      DATA TOL /1E-2, 0E0/
      DATA IDLIST /-11, 0, 0/
      CALL NSDTST('A METHOD', OPTION, TOL, IDLIST, FLAG)
      END
"""


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def single(text):
    """The text of a program in single precision, as one made it in 1986."""
    return re.sub(r"(\d)D(-?\d)", r"\1E\2", text.replace("DOUBLE PRECISION", "REAL"))


NO_TIMING_SINGLE = text_of(NO_TIMING).replace("2.22E-16", "5.96E-8")


def method_of(example):
    text = text_of(EXAMPLES, example)
    return text[text.index("      SUBROUTINE METHOD"):]


def build(sources, library, static=False, options=()):
    """Sources are texts, or paths; returns the path of the program."""
    build.count += 1
    folder = os.path.join(FOLDER.name, str(build.count))
    os.mkdir(folder)
    files = []
    for number, source in enumerate(sources):
        if "\n" in source:
            files.append(os.path.join(folder, f"part{number}.f"))
            with open(files[-1], "w", encoding="utf-8") as f:
                f.write(source)
        else:
            files.append(source)
    program = os.path.join(folder, "program")
    link = [os.path.join(LIBRARIES, f"lib{library}.a"), "-livp_detest"] if static else ["-l" + library]
    command = ["gfortran", "-O0", *options, *files, "-o", program, "-L" + LIBRARIES, *link, "-Wl,-rpath," + LIBRARIES]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}")
    return program


build.count = 0


def run(program, input="", code=0):
    """What the program prints."""
    done = subprocess.run([program], cwd=os.path.dirname(program), input=input, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60, check=False)
    if done.returncode != code:
        raise AssertionError(f"{program} ended with {done.returncode}, not {code}:\n{done.stdout}")
    return done.stdout


def tables(text):
    """The lines of the tables, without what only one of the two prints: the head, the title of a group, the time of true solutions."""
    text = re.sub(r"==== *(.*)", "====", text[text.index("==== group 1"):])
    text = re.sub(r"( +\d+\.\d{3}){2}(?= {3,}\d)", " TIME OVHD", text)
    return [line for line in text.splitlines() if line.strip() and "were spent in true solutions" not in line]


def rows(text):
    """The numbers of the lines of problems and summaries."""
    return [line.split() for line in text.splitlines() if re.match(r" +-\d+\.\d\d +\S+ +\S+ +\d+ ", line)]


class SameAsTheTool(unittest.TestCase):
    def check(self, example, library, *arguments, static=False):
        program = build([os.path.join(EXAMPLES, example), NO_TIMING], library, static)
        shown = tool.run(["detest", *arguments, "--as-1986", "--timing", "0"])
        self.assertEqual(shown.code, 0, str(shown))
        self.assertEqual(tables(run(program)), tables(shown.out))

    def test_secder(self):
        for static in (False, True):
            self.check("secder.f", "stdtst", "stiff", "secder", "--groups", "E3", "--level", "2", "--normalize", "max", static=static)

    def test_dverk_with_scatter_plots(self):
        self.check("dverk.f", "nsdtst", "nonstiff", "dverk", "--groups", "-B1,D2;B5", "--level", "4", "--normalize", "end")


    def test_every_problem(self):
        for library, counts, method, solver in (("nsdtst", [5] * 6, "dverk.f", "dverk"), ("stdtst", [4, 5, 5, 6, 5, 5], "secder.f", "secder")):
            program = build([os.path.join(HERE, "ask.F"), method_of(method), NO_TIMING], library, options=["-DPACKAGE=" + library])
            ids = [code for group, count in enumerate(counts, 1) for code in [*range(10 * group + 1, 10 * group + 1 + count), 0]] + [0]
            out = run(program, f"3 0 2 0\n3 1e-2 1e-4 0\n{len(ids)} {' '.join(map(str, ids))}\n")
            shown = tool.run(["detest", "nonstiff" if solver == "dverk" else "stiff", solver, "--tol", "1e-2,1e-4", "--norm", "l2", "--as-1986", "--timing", "0"])
            mine, theirs = tables(out.partition("ANSWER")[0]), tables(shown.out)
            self.assertEqual(sum(line.endswith(" scaled") for line in mine), 30)
            self.maxDiff = None
            self.assertEqual(mine, theirs)


class LsodeStyle(unittest.TestCase):
    SOURCES = (os.path.join(EXAMPLES, "lsode_style.f"), os.path.join(EXAMPLES, "rosode.f"))

    def check(self, out):
        lines = rows(out)
        problems = [line for line in lines if len(line) >= 12]
        self.assertEqual(len(problems), 6 * 3 + 2 * 3, out)  # and two groups
        for line in problems:
            calls, jacobians, factorisations, steps = map(int, line[3:7])
            self.assertEqual(steps, jacobians, "ROSODE makes one Jacobian for each step")
            self.assertEqual(calls, jacobians + 2 * factorisations, "and two evaluations more for each attempt")
            self.assertGreaterEqual(factorisations, steps)
            self.assertLess(float(line[8]), 10, "largest global error in units of TOL")
        self.assertNotIn("failed", out)

    def test_double(self):
        self.check(run(build([*self.SOURCES, NO_TIMING], "stdtst")))

    def test_single(self):
        sources = [single(text_of(path)).replace("1E-2, 1E-3, 1E-4", "3E-2, 1E-2, 3E-3") for path in self.SOURCES]
        self.check(run(build([*sources, NO_TIMING_SINGLE], "stdtst_single")))


class SinglePrecision(unittest.TestCase):
    """The same counts as in double where rounding does not matter, and failure where there are no digits left."""

    def test_dverk(self):
        out = run(build([single(text_of(EXAMPLES, "dverk.f")), NO_TIMING_SINGLE], "nsdtst_single"))
        first = rows(out)[0]
        self.assertEqual(first[3:5], ["278", "26"])  # B1 at 1e-2, as in double
        self.assertAlmostEqual(float(first[5]), 166.40, delta=0.2)
        self.assertIn("failed to start at TOL 1.0e-08; METHOD returned before XEND", out)

    def test_secder(self):
        """In single precision rounding decides about SECDER's counts; the package itself has 88, 32, 24 and 24 there."""
        out = run(build([single(text_of(EXAMPLES, "secder.f")).replace("1E-12", "1E-6"), NO_TIMING_SINGLE], "stdtst_single"))
        first = rows(out)[0]
        for number, in_double in zip(first[3:7], (91, 32, 24, 22)):
            self.assertAlmostEqual(int(number), in_double, delta=12)
        self.assertAlmostEqual(float(first[8]), 0.16, delta=0.1)

    # CONST(5) asks for true solutions in the precision of METHOD.
    TRUTH_AS_1986 = (NO_TIMING_SINGLE.replace("C(4)", "C(5)").replace("0E0/", "0E0, 1E0/").replace("I .LE. 4", "I .LE. 5"))

    def test_truth_in_double_or_as_1986(self):
        """At 1e-4 the true solution has a tolerance of 1e-6, and in single precision some of its digits are rounding errors."""
        main = single(MAIN).replace("OPTION /3", "OPTION /2").replace("TOL(2)", "TOL(4)").replace("/1E-2, 0E0/", "/1E-2, 1E-3, 1E-4, 0E0/").replace("-11", "-25")
        method = single(method_of("dverk.f"))
        by_default, as_1986 = (rows(run(build([main, method, const], "nsdtst_single"))) for const in (NO_TIMING_SINGLE, self.TRUTH_AS_1986))
        self.assertEqual([line[:6] for line in by_default], [line[:6] for line in as_1986], "METHOD does not depend on it")
        self.assertNotEqual(by_default[:3], as_1986[:3])
        for default, original in zip(by_default[:3], as_1986[:3]):
            self.assertAlmostEqual(float(default[6]) / float(original[6]), 1, delta=0.01)
        # The library in double precision has no other truth.
        main = MAIN.replace("OPTION /3", "OPTION /2").replace("-11", "-25")
        double = self.TRUTH_AS_1986.replace("5.96E-8", "2.22E-16")
        self.assertEqual(run(build([main, method_of("dverk.f"), double], "nsdtst")), run(build([main, method_of("dverk.f"), NO_TIMING], "nsdtst")))

    def test_stiff_truth_in_double_or_as_1986(self):
        text = single(text_of(EXAMPLES, "secder.f")).replace("1E-12", "1E-6").replace("1E-2, 1E-4, 1E-6, 1E-8", "1E-2, 1E-3, 3E-4, 1E-4")
        by_default, as_1986 = (run(build([text, const], "stdtst_single")) for const in (NO_TIMING_SINGLE, self.TRUTH_AS_1986))
        self.assertNotIn("true solution lost", by_default)
        self.assertIn("true solution lost", as_1986)


class Replaceable(unittest.TestCase):
    def test_const_and_clock(self):
        for static in (False, True):
            program = build([os.path.join(EXAMPLES, "secder.f"), os.path.join(HERE, "own_const.f")], "stdtst", static)
            self.assertEqual(run(program), "", "everything goes to unit 17")
            out = text_of(os.path.dirname(program), "fort.17")
            self.assertIn("ABACUS", out.splitlines()[1])
            # TIME is 0.1; so is one call of FCN, PDERV and DDCOMP, and OVHD is 0.1 - 0.1 (91 + 32 + 24).
            self.assertEqual(rows(out)[0][:7], ["-2.00", "0.100", "-14.600", "91", "32", "24", "22"])

    def test_the_time_in_stats_is_not_that_of_the_method(self):
        constant = """
      REAL FUNCTION CLOCK(S)
      REAL S
      CLOCK = 1000
      END
"""
        main = MAIN.replace("      END\n", """      CALL SHOW
      END
      SUBROUTINE SHOW
      DOUBLE PRECISION XFIN, XTRUE
      REAL TIME, OVHD, TRUTIM
      COMMON /NSCOM3/ XFIN, XTRUE, TIME, OVHD, TRUTIM
      PRINT '(A,2F9.2)', ' TIME AND TRUTIM', TIME, TRUTIM
      END
""")
        out = run(build([main, method_of("dverk.f"), NO_TIMING, constant], "nsdtst"))
        time, truth = (float(word) for word in re.search(r"TIME AND TRUTIM +(\S+) +(\S+)", out).groups())
        self.assertGreater(time, 0)
        self.assertGreater(truth, 0)
        self.assertAlmostEqual(time + truth, 1000, delta=0.05)

    def test_open_redirects_the_output(self):
        main = MAIN.replace("      CALL NSDTST", "      OPEN(INT(CONST(3)), FILE='tables.txt')\n      CALL NSDTST")
        program = build([main, method_of("dverk.f"), NO_TIMING], "nsdtst")
        run(program)
        self.assertIn("A1 unscaled", text_of(os.path.dirname(program), "tables.txt"))

    def test_fcn(self):
        """A user's FCN is the one that METHOD calls; the true solutions stay those of the problem."""
        own = """
      SUBROUTINE FCN(X, Y, YP)
      DOUBLE PRECISION X, Y(51), YP(51)
      COMMON /NSCOM6/ NFCN
      NFCN = NFCN + 2
      YP(1) = -Y(1)
      END
"""
        usual = rows(run(build([MAIN, method_of("dverk.f"), NO_TIMING], "nsdtst")))[0]
        for static in (False, True):
            changed = rows(run(build([MAIN, method_of("dverk.f"), own, NO_TIMING], "nsdtst", static)))[0]
            self.assertEqual(int(changed[3]), 2 * int(usual[3]))
            self.assertEqual(changed[4:], usual[4:])


class Flag(unittest.TestCase):
    """Each case of the documentation, in both packages. Nothing is run where there is one."""

    GOOD = {"option": [1, 0, 1, 0], "tol": [1e-2, 1e-4, 0], "ids": [11, 22, 0, -31, -51, 0, 0]}

    @classmethod
    def setUpClass(cls):
        cls.programs = [build([os.path.join(HERE, "ask.F"), os.path.join(HERE, "gives_up.f"), NO_TIMING], library, options=["-DPACKAGE=" + name])
                        for library, name in (("nsdtst", "NSDTST"), ("stdtst", "STDTST"), ("nsdtst_single", "NSDTST"), ("stdtst_dummy", "STDTST"))]

    def check(self, flag, **given):
        asked = {**self.GOOD, **given}
        lines = [" ".join(map(str, asked["option"]))] + [" ".join(map(str, [len(asked[key]), *asked[key]])) for key in ("tol", "ids")]
        for program in self.programs:
            out = run(program, "\n".join(lines) + "\n")
            self.assertEqual(int(re.search(r"ANSWER *(\d+)\.", out)[1]), flag, (given, out))
            self.assertEqual(f"FLAG = {flag}\n" in out, flag != 0, out)
            self.assertEqual(bool(re.search("failed to start|METHOD gave up", out)), flag == 0, out)

    def option(self, **given):
        names = ("opt", "normef", "nrmtyp", "xtrap")
        return [given.get(name, usual) for name, usual in zip(names, self.GOOD["option"])]

    def test_0_all_is_well(self):
        self.check(0)
        self.check(0, tol=[10.0 ** -k for k in range(1, 11)] + [0])
        self.check(0, ids=[11, 0] * 6 + [0])
        self.check(0, ids=[12] * 58 + [0, 0])

    def test_1_opt(self):
        for opt in (0, 5, -1):
            self.check(1, option=self.option(opt=opt))

    def test_2_normef(self):
        for normef in (-1, 3):
            self.check(2, option=self.option(normef=normef))

    def test_3_normef_2_with_opt_1(self):
        self.check(3, option=self.option(normef=2))
        self.check(0, option=self.option(opt=2, normef=2))

    def test_4_tolerances_negative_or_not_decreasing(self):
        self.check(44, tol=[-1e-2, 0])  # the zero is not below it
        self.check(4, tol=[1e25, 1e-2, 0])
        self.check(4, tol=[1e-2, 1e-1, 0])
        self.check(4, tol=[1e-2, 1e-2, 0])
        self.check(44, tol=[1e-2, 1e-1, 1, 0])

    def test_5_tolerances_empty_or_endless(self):
        self.check(5, tol=[0])
        self.check(5, tol=[10.0 ** -k for k in range(1, 12)])

    def test_6_no_such_problem(self):
        for code in (16, 5, 1, -1, 77, 71, 10, 20, -2147483648):
            self.check(6, ids=[11, code, 0, 0])
        self.check(66, ids=[99, 11, 98, 0, 0])

    def test_6_the_sets_differ(self):
        stiff = [program for program, is_stiff in zip(self.programs, (False, True, False, True)) if is_stiff]
        nonstiff = [program for program in self.programs if program not in stiff]
        for code, here, there in ((15, nonstiff, stiff), (46, stiff, nonstiff)):
            for programs, flag in ((here, 0), (there, 6)):
                for program in programs:
                    out = run(program, f"1 0 1 0\n2 1e-2 0\n3 {code} 0 0\n")
                    self.assertEqual(int(re.search(r"ANSWER *(\d+)\.", out)[1]), flag, (code, out))

    def test_7_groups_empty_endless_or_too_many(self):
        self.check(7, ids=[0])
        self.check(7, ids=[11] * 60)
        self.check(7, ids=[11] * 59 + [0])
        self.check(7, ids=[11, 0] * 7 + [0])

    def test_8_nrmtyp(self):
        for nrmtyp in (0, 4):
            self.check(8, option=self.option(nrmtyp=nrmtyp))

    def test_several_at_once(self):
        self.check(245, option=self.option(normef=3), tol=[0.5, 0.6] + [10.0 ** -k for k in range(1, 10)])
        self.check(1857, option=[0, 2, 0, 0], tol=[0], ids=[0])


class Dummy(unittest.TestCase):
    def test_the_first_five_steps(self):
        out = run(build([os.path.join(EXAMPLES, "secder.f")], "stdtst_dummy"))
        self.assertIn("E3 scaled, TOL = 1.0e-02", out)
        self.assertEqual(re.findall(r"(?m)^ step (\d): X = \S+  ERRBND = 0.01  NLUD = (\d)$", out),
                         [("1", "1"), ("2", "1"), ("3", "1"), ("4", "2"), ("5", "3")])
        self.assertIn("METHOD returned with X = 500; NFCN = 16, NJAC = 6, NLUD = 3", out)
        self.assertNotIn("LOG10", out)

    def test_estimates_are_shown_where_they_are_read(self):
        for precision, text in (("", text_of(EXAMPLES, "dverk.f")), ("_single", single(text_of(EXAMPLES, "dverk.f")))):
            out = run(build([text], "nsdtst" + precision + "_dummy"))
            self.assertEqual(len(re.findall(r"(?m)^ +[12] +\S+e[+-]\d\d +\S+e[+-]\d\d$", out)), 10, out)

    def test_a_method_that_does_not_stop(self):
        out = run(build([method_of("secder.f").replace("IF (C(13) .EQ. XNEW) GO TO 20", "GO TO 20"),
                         text_of(EXAMPLES, "secder.f").partition("      SUBROUTINE METHOD")[0]], "stdtst_dummy"))
        self.assertEqual(out.count("METHOD has to return after STATS has set X = XEND"), 1)

    def test_a_method_that_does_not_tell_the_end(self):
        out = run(build([text_of(EXAMPLES, "secder.f").replace("         X = XEND\n", "         CONTINUE\n")], "stdtst_dummy"))
        self.assertIn("the package would report that METHOD failed to start", out)


class Failures(unittest.TestCase):
    """What METHOD does wrongly is a line of the table."""

    @classmethod
    def setUpClass(cls):
        cls.quick = build([os.path.join(HERE, "methods.f"), NO_TIMING], "nsdtst")
        cls.timed = build([os.path.join(HERE, "methods.f")], "nsdtst")

    def check(self, program, kind, words):
        out = run(program, f"{kind}\n")
        self.assertIn(words, out)
        self.assertIn("ANSWER 0.", out)
        return rows(out)[0]

    def test_none(self):
        for program in (self.quick, self.timed):
            line = self.check(program, 0, "A1 unscaled")
            self.assertEqual(line[3:5], ["400", "400"])
            self.assertLess(float(line[5]), 1)

    def test_not_started(self):
        self.check(self.quick, 1, "failed to start at TOL 1.0e-02; METHOD returned before XEND")

    def test_given_up_on_the_way(self):
        line = self.check(self.quick, 2, "the method failed at x = 3.05; METHOD returned before XEND")
        self.assertEqual(line[1:6], ["*******", "*******", "61", "61", "*******"])

    def test_only_while_it_is_timed(self):
        """METHOD sees it by IFLAG in COMMON."""
        line = self.check(self.timed, 3, "the method failed unexpectedly while it was timed; it failed only while it was timed: METHOD returned before XEND")
        self.assertEqual(line[3:5], ["400", "400"])

    def test_not_a_number(self):
        line = self.check(self.quick, 4, "A1 unscaled")
        self.assertEqual(line[5], "*******")

    def test_a_run_inside_a_run(self):
        out = run(self.quick, "5\n")
        self.assertIn("NSDTST was called during a run; only one run at a time is possible", out)
        self.assertIn("INSIDE 9.", out)


class TrueSolver(unittest.TestCase):
    """TRUE beyond what the examples use."""

    @classmethod
    def setUpClass(cls):
        cls.program = build([os.path.join(HERE, "true_calls.f")], "nsdtst")

    def answer(self, kind, code=0):
        return run(self.program, f"{kind}\n", code)

    def test_it_goes_on_from_where_it_was(self):
        self.assertEqual(self.answer(1).split()[:4], ["3", "2.00000000", "0.13533528", "2.00000000"])

    def test_two_integrations_at_a_time(self):
        self.assertEqual(self.answer(2).split()[:4], ["3", "1.00000000", "0.36787944", "0.50000000"])

    def test_error_controls(self):
        """The tighter the more calls: 1 is absolute, 3 and 5 have floors of a thousandth."""
        ind, calls = zip(*((self.answer(kind).split()[0], float(self.answer(kind).split()[4])) for kind in (3, 4, 5)))
        self.assertEqual(ind, ("3", "3", "3"))
        self.assertLess(calls[0], calls[1])
        self.assertLess(calls[1], calls[2])

    def test_limit_of_calls(self):
        self.assertEqual(self.answer(6).split()[0], "-1")

    def test_what_cannot_be_done_is_refused_in_words(self):
        for kind, words in enumerate((
            "IND = 7; allowed: 1 to 6",
            "IND = 3, but no integration with this array C is under way",
            "TOL = 0; allowed: above 0",
            "TRUE has already reached XEND",
            "X or Y is not what TRUE returned; start again with IND = 1 or 2",
            "IND = 4 at re-entry, after 5",
            "N = 2 with NW = 1; allowed: at most NW",
        ), 7):
            self.assertIn("wrong call of TRUE: " + words + "\n", self.answer(kind, code=1))


class Interrupts(unittest.TestCase):
    """TRUE with both interrupts, on y' = -5 y."""

    @classmethod
    def setUpClass(cls):
        cls.program = build([os.path.join(HERE, "interrupts.f")], "nsdtst")

    def answer(self, kind):
        out = run(self.program, f"{kind}\n")
        end = re.search(r"END(.*)", out)[1].split()
        return [int(end[0]), float(end[1]), *map(int, end[2:6]), float(end[6])], list(map(float, re.search(r"(?m)^C(.*)", out)[1].split()))

    def test_both(self):
        (ind, x, before, taken, refused, counted, y), (norm, hmin, hmax, trial) = self.answer(1)
        self.assertEqual((ind, x, before, taken), (3, 2, taken + refused, counted))
        self.assertAlmostEqual(y, 4.54e-5, delta=1e-6)
        # HMIN is 10 roundoffs of the norm over TOL, HMAX 2 where it is not given, XTRIAL the end
        self.assertEqual((hmax, trial), (2, 2))
        self.assertGreater(norm, 0)
        self.assertAlmostEqual(hmin / (10 * 2.22e-16 * max(norm / 1e-6, 0)), 1, delta=0.01)

    def test_a_smaller_step_than_proposed(self):
        usual, halved = self.answer(1)[0], self.answer(2)[0]
        self.assertLess(halved[4], usual[4] + 1)
        self.assertGreater(halved[3], usual[3])

    def test_a_decision_that_is_changed(self):
        usual, refusing = self.answer(1)[0], self.answer(3)[0]
        self.assertEqual(refusing[3], refusing[5] + 1, "one of the steps that were good is not counted")
        self.assertEqual(usual[3], usual[5])
        accepting = self.answer(4)[0]
        self.assertEqual(accepting[:3], [3, 2, 2], "a smallest step of 1.5 is too long, and accepted all the same")
        self.assertEqual(accepting[5], 2)

    def test_after_a_failure(self):
        (ind, x, *_), (_, smallest, _, trial) = self.answer(5)
        self.assertEqual((ind, x, smallest, trial), (-3, 0, 1.5, 1), "a step that would end between the middle and the end is cut to the middle; this one was too long")
        (ind, x, *_), (*_, trial) = self.answer(6)
        self.assertEqual((ind, trial), (-1, x), "no further step was begun")


class StiffInterrupts(unittest.TestCase):
    """The same of SECDER, on B1. The first step comes without interrupt 1."""

    @classmethod
    def setUpClass(cls):
        cls.program = build([os.path.join(HERE, "stiff_interrupts.f"), NO_TIMING], "stdtst")

    def answer(self, kind):
        out = run(self.program, f"{kind}\n")
        end = re.search(r"END(.*)", out)[1].split()
        return [int(end[0]), float(end[1]), *map(int, end[2:])], list(map(float, re.search(r"(?m)^C(.*)", out)[1].split()))

    def test_both(self):
        (ind, x, before, taken, refused, counted), (smallest, size, trial, past, end) = self.answer(1)
        self.assertEqual((ind, x, before, counted), (3, 20, taken + refused - 1, taken))
        self.assertEqual((trial, past, end), (20, size, 20))
        self.assertAlmostEqual(smallest / (10 * 2.22e-16 * (20 - size)), 1, delta=0.01)  # where the last step began

    def test_a_smaller_step_than_proposed(self):
        usual, halved = self.answer(1)[0], self.answer(2)[0]
        self.assertEqual(halved[:2], [3, 20])
        self.assertGreater(halved[3], 2 * usual[3])
        self.assertEqual(halved[4], 0)

    def test_a_decision_that_is_changed(self):
        (ind, x, before, taken, refused, counted), _ = self.answer(3)
        self.assertEqual((ind, x, before, counted), (3, 20, taken + refused - 1, taken - 1))

    def test_after_a_failure(self):
        (ind, x, *_), (_, _, trial, _, end) = self.answer(4)
        self.assertEqual((ind, trial, end), (-1, x, 0))
        (ind, x, *_), (smallest, size, trial, _, end) = self.answer(5)
        self.assertEqual((ind, smallest, end), (-3, 0.5, 0))
        self.assertAlmostEqual(trial, x + size, delta=1e-7)


class OwnRoutines(unittest.TestCase):
    """What a program brings itself is used by STATS too, in shared and static libraries alike."""

    def test_a_problem(self):
        main = MAIN.replace("-11", "-26")
        usual = rows(run(build([MAIN, method_of("dverk.f"), NO_TIMING], "nsdtst")))[0]
        for static in (False, True):
            sources = [main, method_of("dverk.f"), os.path.join(HERE, "own_problem.f"), text_of(HERE, "own_parchk.f"), NO_TIMING]
            out = run(build(sources, "nsdtst", static))
            self.assertIn("B6 unscaled", out)
            self.assertEqual(rows(out)[0], usual)
            self.assertIn("FLAG = 6", run(build([MAIN, *sources[1:]], "nsdtst", static)), "PARCHK of the program does not know A1")

    def test_a_stiff_problem_with_its_jacobian(self):
        main = MAIN.replace("NSDTST", "STDTST").replace("      CALL ST", "      WRONG = 1D0\n      CALL ST").replace(
            "      REAL TOL", "      DOUBLE PRECISION WRONG\n      COMMON /OWN/ WRONG, NPD\n      REAL TOL").replace("      END\n", "      PRINT '(A,I6)', 'CALLS', NPD\n      END\n")
        usual = rows(run(build([MAIN.replace("NSDTST", "STDTST"), method_of("secder.f"), NO_TIMING], "stdtst")))[0]
        sources = [main.replace("-11", "-15"), method_of("secder.f"), os.path.join(HERE, "own_stiff_problem.f"), text_of(HERE, "own_parchk.f").replace("26", "15"), NO_TIMING]
        for static in (False, True):
            out = run(build(sources, "stdtst", static))
            self.assertIn("A5 unscaled", out)
            self.assertEqual(rows(out)[0], usual)
            self.assertGreaterEqual(int(re.search(r"CALLS +(\d+)", out)[1]), int(usual[4]), "METHOD's Jacobians are the program's")
        wrong = rows(run(build([sources[0].replace("WRONG = 1D0", "WRONG = 0D0"), *sources[1:]], "stdtst")))[0]
        self.assertNotEqual(wrong[3:], usual[3:], "with another PDERV the method takes other steps")

    def test_the_same_by_the_way_through_fortran(self):
        """A fixed address of FCN in the program looks like one of its own."""
        text = text_of(EXAMPLES, "secder.f")
        self.assertEqual(tables(run(build([text, NO_TIMING], "stdtst", options=["-no-pie", "-fno-pic"]))), tables(run(build([text, NO_TIMING], "stdtst"))))

    def test_true(self):
        main = MAIN.replace("      REAL TOL", "      COMMON /OWN/ NTRUE\n      REAL TOL").replace("      END\n", "      PRINT '(A,I6)', 'CALLS', NTRUE\n      END\n")
        line = None
        for static in (False, True):
            out = run(build([main, os.path.join(HERE, "own_true.f"), NO_TIMING], "nsdtst", static))
            line = rows(out)[0]
            self.assertEqual(int(re.search(r"CALLS +(\d+)", out)[1]), 2 * int(line[4]), "a global and a local solution for each step")
        ours = text_of(HERE, "own_true.f")
        ours = rows(run(build([MAIN, ours[ours.index("C     Heun's"):], NO_TIMING], "nsdtst")))[0]
        self.assertEqual(line[3:5], ours[3:5], "calls of FCN for true solutions are not METHOD's")
        for own, usual in zip(line[5:], ours[5:]):
            self.assertAlmostEqual(float(own), float(usual), delta=0.02)

    def test_difnrm(self):
        own = """
      REAL FUNCTION DIFNRM(A, B, N)
      INTEGER N
      DOUBLE PRECISION A(N), B(N)
      DIFNRM = 2*ABS(A(1) - B(1))
      END
"""
        usual, doubled = (rows(run(build([MAIN, method_of("dverk.f"), NO_TIMING, *more], "nsdtst")))[0] for more in ([], [own]))
        self.assertEqual(doubled[:5], usual[:5])
        self.assertAlmostEqual(float(doubled[7]) / float(usual[7]), 2, delta=0.02)

    def test_weights_without_a_method(self):
        for static in (False, True):
            out = run(build([os.path.join(HERE, "weights.f")], "nsdtst", static))
            shown = tool.run(["detest", "weights", "--problems", "detest-n-a1,detest-n-b2,detest-n-c3", "--format", "json"]).json()
            found = [list(map(float, line.split()[1:])) for line in out.splitlines()]
            self.assertEqual(len(found), 3)
            for mine, theirs in zip(found, shown):
                for w, stored in zip(mine, theirs["stored"]):
                    self.assertAlmostEqual(w / stored, 1, delta=0.02)
        main = MAIN[:MAIN.index("      CALL")] + "      CALL NSDTST('NONE', OPTION, TOL, IDLIST, FLAG)\n      END\n"
        self.assertIn("there is no METHOD in this program", run(build([main], "nsdtst"), code=1))

    def test_where_the_truth_is_lost(self):
        """XTRUE is where TRUE stopped, not where the step began."""
        lost = "      IND = 3\n      IF (X .LT. 5) RETURN\n      IND = -1\n      X = 4.75D0\n"
        out = run(build([MAIN, text_of(HERE, "own_true.f").replace("      IND = 3\n", lost), NO_TIMING], "nsdtst"))
        self.assertIn("true solution lost at x = 4.75 (global -1, local 3)", out)
        out = run(build([MAIN.replace("-11", "45"), method_of("dverk.f"), NO_TIMING], "nsdtst"))
        self.assertIn("true solution lost at x = 13.2755 (global -1, local 3)", out, "D5 scaled; the original says 1.32755E+01")


class Routines(unittest.TestCase):
    def test_by_hand(self):
        out = run(build([os.path.join(HERE, "routines.f"), method_of("secder.f"), NO_TIMING], "stdtst"))
        for line in ("START  3  500.0000    0.0200    1.0000    1.0000    0.0000", "JACOBIAN T", "SOLVED  0  1.0000  2.0000  3.0000",
                     "SINGULAR -1", "COUNTED   9   7   9", "PROBLEM  -1   3  43", "TRUTH  500.00  3  3  3"):
            self.assertIn(line + "\n", out)
        end, scaled = (re.search(rf"{word} +(.*)", out)[1] for word in ("END", "SCALED"))
        self.assertEqual(end, scaled)
        left = list(map(int, re.search(r"LEFT(.*)", out)[1].split()))
        row = rows(out)[0]
        self.assertEqual(left[:4], list(map(int, row[3:7])))
        self.assertEqual(left[4], left[3], "no step is lumped at 1e-4")
        self.assertEqual(left[7], left[3], "and each is assessed")
        self.assertGreater(left[8], 0)
        errors = list(map(float, re.search(r"ERRORS(.*)", out)[1].split()))
        self.assertEqual(errors[:2], [500, 500])
        for error, printed, unit in zip(errors[2:], row[7:10], (1e-4, 1e-4, 1)):
            self.assertAlmostEqual(error / unit, float(printed), delta=0.01)

    def test_parchk_and_difnrm(self):
        out = run(build([os.path.join(HERE, "by_name.f")], "nsdtst"))
        self.assertEqual(out.splitlines(), ["GOOD  3  2  2  0  1  3 -2.00 -3.00 -5.00  0.", "BAD 1244.", "NORM  4.00000", "NORM  5.00000", "NORM  3.53553"])

    def test_times_of_a_stiff_problem(self):
        for static in (False, True):
            out = run(build([os.path.join(HERE, "stiff_times.f")], "stdtst", static))
            found = [line.split() for line in out.splitlines()]
            self.assertEqual([line[0] for line in found], ["1", "12", "43"])
            for line in found:
                for seconds in map(float, line[1:]):
                    self.assertGreater(seconds, 0)
                    self.assertLess(seconds, 1e-2)

    def test_no_such_problem(self):
        main = "      PROGRAM MAIN\n      DOUBLE PRECISION X, Y(51), YP(51)\n      CALL FCN(X, Y, YP)\n      END\n"
        self.assertIn("FCN: there is no such problem", run(build([main, method_of("dverk.f")], "nsdtst"), code=1))


if __name__ == "__main__":
    unittest.main()
