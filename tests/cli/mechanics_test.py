"""Formulations of mechanical systems as a user meets them: run, wp, check, plug-ins, wrong use."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

PENDULUM = tool.example("pendulum")
LINKAGE = tool.example("linkage")
FORMULATIONS = ["3", "2", "ggl", "1", "baumgarte"]


def ran(*args):
    return tool.run(["run", *args, "--repeat", "1", "--format", "json"])


class Formulations(unittest.TestCase):
    def test_every_formulation_of_the_car_axis_is_solved(self):
        for name in FORMULATIONS:
            with self.subTest(name):
                done = ran("caraxis", "radau5", "--rtol", "1e-7", "--formulation", name)
                self.assertEqual(done.code, 0, done.err)
                record = done.json()
                self.assertGreater(record["scd"], 1)
                self.assertEqual(record["dimension"], 12 if name == "ggl" else 10)
                self.assertIn("--formulation " + name, record["command"])
                self.assertLess(record["extra"]["drift_position"], 1e-3)
                self.assertIn("formulation", record["parameters"])

    def drifts(self, *args):
        """Of each formulation: position, its growth, velocity, its growth, velocity times step, acceleration."""
        done = tool.run(["wp", "caraxis", "--solvers", "radau5", "--formulations", "all", "--repeat", "1", *args])
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("drift pos growth velocity growth h*veloc.  accel.", done.out)
        self.assertIn("growth: p if the drift to its left grows like t^p", done.out)
        rows = {}
        for line in done.out.splitlines():
            words = line.split()
            if len(words) > 8 and words[1] == "radau5":
                rows[words[2]] = [float(w) for w in words[-6:]]
        self.assertEqual(list(rows), FORMULATIONS, done.out)
        return rows

    def test_one_table_shows_what_index_reduction_does(self):
        """What is in the equations stays at one level, what is not drifts: linearly with index 2, at least linearly with index 1."""
        for rtol in ("1e-6", "1e-7", "1e-10"):
            with self.subTest(rtol):
                growth = {name: row[1] for name, row in self.drifts("--rtol", rtol).items()}
                for name in ("3", "ggl", "baumgarte"):
                    self.assertLess(abs(growth[name]), 0.4, growth)
                self.assertTrue(0.8 < growth["2"] < 1.2, growth)
                self.assertTrue(0.8 < growth["1"] < 2.5, growth)

    def test_position_stays_at_rounding_where_newton_goes_on(self):
        rows = self.drifts("--rtol", "1e-10", "--opt", "fnewt=2e-8")
        position = {name: row[0] for name, row in rows.items()}
        velocity = {name: row[2] for name, row in rows.items()}
        self.assertLess(max(position["3"], position["ggl"]), 2e-14)
        self.assertLess(max(velocity["2"], velocity["ggl"]), 2e-12)
        self.assertGreater(position["2"], 100 * position["3"])
        self.assertGreater(position["1"], 10 * position["2"])
        self.assertLess(position["baumgarte"], position["1"] / 10)
        self.assertTrue(1e-7 < velocity["3"] < 1e-3, velocity)
        self.assertGreater(rows["1"][3], 0.7, "its velocity drifts too")

    def test_the_velocity_of_index_3_times_the_step_is_at_the_level_of_the_tolerance(self):
        """mebdfdae tests h times the error of a velocity against the tolerance, radau5 against 0.1 rtol^(2/3): 1 to 8 times that."""
        for solver, tested in (("mebdfdae", lambda rtol: rtol), ("radau5", lambda rtol: 0.1 * rtol ** (2 / 3))):
            for rtol in (1e-4, 1e-7, 1e-10):
                with self.subTest(solver=solver, rtol=rtol):
                    drift = ran("caraxis", solver, "--rtol", str(rtol), "--formulation", "3").json()["extra"]
                    self.assertTrue(1 < drift["drift_velocity_times_step"] / tested(rtol) < 8, drift)
                    self.assertGreater(drift["drift_velocity"], 10 * drift["drift_velocity_times_step"])
                    self.assertLess(abs(drift["drift_velocity_growth"]), 0.6, drift)

    def test_the_first_step_decides_the_velocities_of_gamd(self):
        """h0 = rtol lets its first block end with velocities that are wrong by a thousandth; h times that is far below the tolerance."""
        for rtol in (1e-6, 1e-8, 1e-10):
            drift = ran("caraxis", "gamd", "--rtol", str(rtol), "--formulation", "3").json()["extra"]
            self.assertTrue(5e-4 < drift["drift_velocity"] < 2e-3, drift)
        drift = ran("caraxis", "gamd", "--rtol", "1e-10", "--formulation", "3", "--h0", "1e-6").json()["extra"]
        self.assertLess(drift["drift_velocity"], 1e-5)

    def test_the_listing_shows_the_drift(self):
        done = tool.run(["run", "andrews", "radau5", "--rtol", "1e-6", "--formulation", "2", "--repeat", "1"])
        self.assertEqual(done.code, 0, done.err)
        for words in ("residual of the constraints", "of their first derivatives", "the same times the step size", "of their second derivatives",
                      "change of the energy"):
            self.assertRegex(done.out, words + r" +\d\.\d\de[-+]\d\d   t\^-?\d\.\d\d\n")
        self.assertIn("   with formulation 2\n", done.out)
        self.assertIn("   with formulation ggl\n", tool.run(["run", "andrews", "radau5", "--rtol", "1e-4", "--formulation", "ggl", "--repeat", "1"]).out)

    def test_a_run_of_a_formulation_can_be_repeated_and_stored(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "runs.db")
            for name in ("3", "ggl"):
                self.assertEqual(ran("caraxis", "radau5", "--rtol", "1e-4", "--formulation", name, "--db", store).code, 0)
            done = tool.run(["query", "--db", store, "SELECT count(DISTINCT setting) FROM runs"])
            self.assertIn("2", done.out)
            report = os.path.join(folder, "book.html")
            paper = os.path.join(folder, "paper")
            self.assertEqual(tool.run(["report", "--db", store, "--out", report, "--latex", paper]).code, 0)
            with open(report, encoding="utf-8") as f:
                page = f.read()
            self.assertEqual(page.count("<caption>Drift: "), 2)
            self.assertIn('<th scope="col">position</th><th scope="col">growth</th><th scope="col">velocity</th><th scope="col">growth</th>'
                          '<th scope="col"><i>h</i> × velocity</th>', page)
            self.assertIn("formulation ggl", page)
            self.assertNotIn("stabilised = 1", page)
            with open(os.path.join(paper, "caraxis-with-formulation-3-drift.tex"), encoding="utf-8") as f:
                table = f.read()
            self.assertIn("position & growth & velocity & growth & $h\\,\\times\\,$velocity & acceleration", table)
            self.assertRegex(table, r"radau5\} & \$10\^\{-4\}\$ & \d\.\d\d & \$\d\.\d\\cdot10\^\{-\d\}\$")
            with open(os.path.join(paper, "report.tex"), encoding="utf-8") as f:
                text = f.read()
            for name in ("3", "ggl"):
                self.assertIn(f"\\input{{caraxis-with-formulation-{name}-drift}}", text)

    def test_other_solvers_take_a_lower_index(self):
        self.assertEqual(ran("caraxis", "rodas", "--rtol", "1e-6", "--formulation", "3").code, 2)
        done = ran("caraxis", "rodas", "--rtol", "1e-6", "--formulation", "1")
        self.assertEqual(done.code, 0, done.err)
        self.assertGreater(done.json()["scd"], 0)

    def test_wrong_use(self):
        for args, words in ((("caraxis", "radau5", "--formulation", "4"), "--formulation: '4' given; allowed: 3, 2, ggl, 1, baumgarte"),
                            (("hires", "radau5", "--formulation", "3"), "--formulation: '3' given for hires; allowed for mechanical systems: andrews, caraxis, crank"),
                            (("caraxis", "radau5", "--formulation", "3", "--set", "formulation=2"), "--set formulation: given together with --formulation"),
                            (("caraxis", "radau5", "--set", "formulation=3", "--set", "stabilised=1"), "formulation 3 with stabilised 1 given"),
                            (("caraxis", "radau5", "--set", "stabilised=1"), "stabilised: '1' given without formulation")):
            done = ran(*args, "--rtol", "1e-4")
            self.assertEqual(done.code, 2, done.out)
            self.assertIn(words, done.err)
        for args, words in ((("--formulations", "3,4"), "--formulations: '4' given; allowed: all, or 3, 2, ggl, 1, baumgarte"),
                            (("--formulations", "3,3"), "'3' is given twice"),
                            (("--formulations", "3,2", "--out", "x.svg"), "allowed: one problem for a diagram")):
            done = tool.run(["wp", "caraxis", "--solvers", "radau5", "--rtol", "1e-4", *args])
            self.assertEqual(done.code, 2, done.out)
            self.assertIn(words, done.err)


class PlugIns(unittest.TestCase):
    def test_the_pendulum_is_solved_in_every_formulation(self):
        for name in FORMULATIONS:
            with self.subTest(name):
                done = ran(PENDULUM, "radau5", "--rtol", "1e-8", "--formulation", name)
                self.assertEqual(done.code, 0, done.err)
                record = done.json()
                for got, known, places in zip(record["y"], (0, -1, -2**0.5, 0, -3), (5, 5, 5, 5, 2)):
                    self.assertAlmostEqual(got, known, places=places)
                self.assertGreater(record["scd"], 5)
                self.assertIn("drift_acceleration", record["extra"])

    def test_radau_gets_through_where_its_estimate_does_not_fall_with_the_step(self):
        """The original code ends here with a step that is too small; a lower order passes."""
        for rtol in ("2e-6", "1.1e-6", "1e-6", "8e-7"):
            with self.subTest(rtol):
                done = ran(PENDULUM, "radau", "--rtol", rtol, "--h0", "1e-6")
                self.assertEqual(done.code, 0, done.out)
                self.assertGreater(done.json()["scd"], 2)

    def test_check_says_what_was_moved(self):
        done = tool.run(["check", PENDULUM])
        self.assertEqual(done.code, 0, done.out)
        self.assertRegex(done.out, r"x moved from 1.01 to 1\b")

    def test_a_start_that_is_disturbed_by_a_hundredth_is_found(self):
        done = tool.run(["check", LINKAGE])
        self.assertEqual(done.code, 0, done.out)
        self.assertIn("Ay moved from 0.99 to 0.9999500037; Bx moved from 2.01 to 2.0099995;", done.out)
        self.assertIn("Ax' moved from 1 to 1.00989901;", done.out)
        self.assertIn("largest residual before: position 0.01, velocity 0.04;", done.out)
        left = re.search(r"largest residual after: position (\S+), velocity (\S+), acceleration (\S+)\n", done.out)
        self.assertLess(max(map(float, left.groups())), 1e-13)

    def test_derivatives_may_be_supplied_and_a_wrong_one_is_refused_by_name(self):
        with open(os.path.join(tool.setting("IVP_SOURCE"), "examples", "10_mechanics", "pendulum.c"), encoding="utf-8") as f:
            text = f.read()
        supplied = """
static int gradients(const void* self, double t, const double* q, double* G)
{
    (void)self, (void)t;
    G[0] = q[0];
    G[1] = q[1];
    return IVP_OK;
}
static int rates(const void* self, double t, const double* q, const double* v, double* out)
{
    (void)self, (void)t;
    out[0] = q[0] * v[0] + q[1] * v[1];
    return IVP_OK;
}
static int accelerations(const void* self, double t, const double* q, const double* v, const double* w, double* out)
{
    (void)self, (void)t;
    out[0] = v[0] * v[0] + v[1] * v[1] + q[0] * w[0] + q[1] * w[1];
    return IVP_OK;
}
"""
        text = text.replace("void ivp_mechanics_open", supplied + "void ivp_mechanics_open")
        text = text.replace(".constraints = constraints}", ".constraints = constraints, .gradients = gradients, .rates = rates, .accelerations = accelerations}")
        with tempfile.TemporaryDirectory() as folder:
            def built(name, right="", wrong=""):
                self.assertIn(right, text)
                library = os.path.join(folder, name + ".so")
                with open(os.path.join(folder, name + ".c"), "w", encoding="utf-8") as f:
                    f.write(text.replace(right, wrong, 1) if right else text)
                subprocess.run(["gcc", "-shared", "-fPIC", "-I", os.path.join(tool.setting("IVP_SOURCE"), "include"), "-o", library, f.name], check=True)
                return library
            good = built("good")
            for name in FORMULATIONS:
                with self.subTest(name):
                    done = ran(good, "radau5", "--rtol", "1e-9", "--formulation", name)
                    self.assertEqual(done.code, 0, done.err)
                    by_differences = ran(PENDULUM, "radau5", "--rtol", "1e-9", "--formulation", name)
                    self.assertAlmostEqual(done.json()["steps"], by_differences.json()["steps"], delta=10)
                    self.assertAlmostEqual(done.json()["scd"], by_differences.json()["scd"], delta=1)
            for name, right, wrong, words in (("gradient", "G[1] = q[1]", "G[1] = -q[1]", "gradients: the derivative of 'rod' by 'y'"),
                                              ("rate", "out[0] = q[0] * v[0] +", "out[0] = 2 * q[0] * v[0] +", "rates: the derivative of 'rod' along a motion"),
                                              ("acceleration", "out[0] = v[0] * v[0] + v[1] * v[1] +", "out[0] =",
                                               "accelerations: the second derivative of 'rod' along a motion")):
                with self.subTest(name):
                    done = ran(built(name, right, wrong), "radau5", "--rtol", "1e-4")
                    self.assertEqual(done.code, 2, done.out)
                    self.assertIn(words, done.err)
                    self.assertEqual(len(done.faults()), 1, done.err)

    def test_what_has_no_consistent_start_is_refused_by_name(self):
        with open(os.path.join(tool.setting("IVP_SOURCE"), "examples", "10_mechanics", "pendulum.c"), encoding="utf-8") as f:
            text = f.read()
        two = text.replace("constraint_count = 1", "constraint_count = 2").replace('{"rod"}', '{"rod", "wire"}')
        with tempfile.TemporaryDirectory() as folder:
            for name, second, words in (("redundant", "phi[1] = 3 * phi[0];", r"redundant: '(rod|wire)' depends on '(rod|wire)'"),
                                        ("contradictory", "phi[1] = phi[0] - 1;",
                                         "'rod' and 'wire' contradict each other. The nearest position found is x = .*; there 'rod' is missed by .*, 'wire' by "),
                                        ("not_finite", "phi[1] = 0.0 / (q[0] - q[0]);", "cannot be evaluated")):
                source = os.path.join(folder, name + ".c")
                with open(source, "w", encoding="utf-8") as f:
                    f.write(re.sub(r"(phi\[0\] = .*)", r"\1 " + second, two, count=1))
                library = os.path.join(folder, name + ".so")
                subprocess.run(["gcc", "-shared", "-fPIC", "-I", os.path.join(tool.setting("IVP_SOURCE"), "include"), "-o", library, source], check=True)
                done = ran(library, "radau5", "--rtol", "1e-4")
                self.assertEqual(done.code, 2, done.out)
                self.assertRegex(done.err, words)


if __name__ == "__main__":
    unittest.main()
