"""The Python example: SciPy's solvers measured on the problems, and the binding it stands on."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
FOLDER = os.path.join(os.environ["IVP_SOURCE"], "examples", "06_problems_in_python")
sys.path.insert(0, FOLDER)
import ivp  # noqa: E402
import scipy_solvers  # noqa: E402


def measured(problem, name, rtol=1e-6, **settings):
    _, method, implicit, order = next(s for s in scipy_solvers.SOLVERS if s[0] == name)
    flags = ivp.TAKES_VECTOR_TOLERANCES | ivp.TAKES_H0 | (ivp.IMPLICIT if implicit else 0)
    return ivp.Test(problem).measure(name, scipy_solvers.solver_of(method, implicit), rtol, order=order, flags=flags, **{"repeat": 1, **settings})


class SciPy(unittest.TestCase):
    def test_stiff_solvers_reach_the_digits_and_their_counts_are_ours(self):
        for name in ("scipy-bdf", "scipy-radau"):
            r = measured("hires", name)
            self.assertEqual((r["outcome"], r["solver_language"], r["solver_origin"]), ("success", "Python", "program"), r["message"])
            self.assertGreater(r["mescd"], 4)
            self.assertEqual([r["nfev"], r["njac"], r["nlu"]], [r["claimed"]["nfev"], r["claimed"]["njac"], r["claimed"]["nlu"]])
            self.assertGreater(r["njac"], 1)

    def test_a_problem_with_breakpoints_is_restarted(self):
        smooth = measured("medakzo", "scipy-bdf", 1e-3)
        self.assertEqual(smooth["outcome"], "success")
        self.assertGreater(smooth["mescd"], 1)

    def test_outside_the_domain_the_step_is_cut(self):
        r = measured("chemakzo_ode", "scipy-radau", 1e-5)
        self.assertEqual(r["outcome"], "success", r["message"])
        self.assertGreater(r["extra"]["refused_evaluations"], 0)

    def test_limits(self):
        self.assertEqual(measured("hires", "scipy-rk45", timeout_s=0.02)["outcome"], "timed_out")
        few = measured("hires", "scipy-bdf", max_steps=10)
        self.assertEqual((few["outcome"], few["accepted"]), ("too_many_steps", 10))

    def test_wrong_use_is_told_in_words(self):
        with self.assertRaisesRegex(ivp.WrongUse, "unknown problem 'hirs'.*did you mean 'hires'"):
            ivp.Test("hirs")
        with self.assertRaisesRegex(ivp.WrongUse, "scipy-bdf cannot take transamp"):
            measured("transamp", "scipy-bdf")
        with self.assertRaisesRegex(ZeroDivisionError, "by zero"):
            ivp.Test("hires").measure("broken", lambda task: 1 / 0, 1e-4, repeat=1)

    def test_problems_by_themselves(self):
        self.assertEqual(ivp.problems()[:2], ["hires", "pollu"])
        test = ivp.Test("hires")
        self.assertEqual((test.n, test.t0, test.tend), (8, 0, 321.8122))
        self.assertAlmostEqual(test.f(0, test.initial())[0], -1.7093, 4)

    def test_the_example_as_a_user_starts_it(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "records.jsonl")
            done = subprocess.run([sys.executable, os.path.join(FOLDER, "scipy_solvers.py"), "plei", "1e-4", store], stdout=subprocess.PIPE, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(len(done.stdout.splitlines()), 1 + len(scipy_solvers.SOLVERS))
            with open(store, encoding="utf-8") as f:
                self.assertEqual(len(f.read().splitlines()), len(scipy_solvers.SOLVERS))


if __name__ == "__main__":
    unittest.main()
