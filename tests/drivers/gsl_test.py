"""The plug-in with the solvers of GSL: several solvers in one library, each counted as it counts itself."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
import tool  # noqa: E402

LIBRARY = os.path.join(tool.setting("IVP_BUILD"), "plugins", "ivp_gsl.so")
NAMES = ("gsl-msbdf", "gsl-rk4imp", "gsl-bsimp", "gsl-rk8pd")


class Gsl(unittest.TestCase):
    def test_stiff_solvers_reach_the_digits_asked_for(self):
        for name in NAMES[:3]:
            for jacobian in ("exact", "differences"):
                with self.subTest(name + " " + jacobian):
                    r = tool.record(["hires", LIBRARY + ":" + name, "--rtol", "1e-6", "--jacobian", jacobian])
                    self.assertEqual((r["solver"], r["outcome"]), (name, "success"), r["message"])
                    self.assertGreater(r["mescd"], 4)
                    self.assertEqual((r["nfev"], r["njac"]), (r["claimed"]["nfev"], r["claimed"]["njac"]))
                    self.assertEqual(r["nfev_jac"], 10 * r["njac"] if jacobian == "differences" else 0)

    def test_the_explicit_one(self):
        r = tool.record(["plei", LIBRARY + ":rk8pd", "--rtol", "1e-6"])
        self.assertGreater(r["mescd"], 4)
        self.assertEqual((r["jacobian"], r["njac"]), ("none", 0))

    def test_limits_and_breakpoints(self):
        few = tool.run(["run", "hires", LIBRARY + ":msbdf", "--rtol", "1e-6", "--max-steps", "50", "--format", "json"])
        self.assertEqual((few.code, few.json()["outcome"]), (1, "too_many_steps"), few)
        late = tool.run(["run", "orego", LIBRARY + ":rk8pd", "--rtol", "1e-6", "--timeout", "0.05", "--format", "json"])
        self.assertEqual((late.code, late.json()["outcome"]), (1, "timed_out"), late)
        restarted = tool.record(["medakzo", LIBRARY + ":msbdf", "--rtol", "1e-3", "--set", "N=30"])
        self.assertEqual(restarted["outcome"], "success")
        domain = tool.record(["chemakzo_ode", LIBRARY + ":bsimp", "--rtol", "1e-4"])
        self.assertGreater(domain["mescd"], 3)

    def test_one_of_several_is_asked_for_by_name(self):
        for path, *words in ((LIBRARY, "has 4 solvers", *NAMES), (LIBRARY + ":bdf", "no solver 'bdf'", *NAMES),
                             (LIBRARY + ":gsl-msbdg", "did you mean 'gsl-msbdf'")):
            result = tool.run(["run", "hires", path, "--rtol", "1e-4"])
            self.assertEqual(result.code, 2, result)
            for word in words:
                self.assertIn(word, result.err)
        shown = tool.run(["show", LIBRARY + ":bsimp"])
        self.assertIn("gsl-bsimp", shown.out)
        single = tool.example("rosenbrock")
        self.assertEqual(tool.run(["run", "hires", single + ":rosenbrock", "--rtol", "1e-4", "--repeat", "1"]).code, 0, "the only one has a name too")
        self.assertEqual(tool.run(["run", "hires", single + ":other", "--rtol", "1e-4"]).code, 2)

    def test_side_by_side(self):
        table = tool.run(["wp", "hires", "--solvers", ",".join(LIBRARY + ":" + n for n in NAMES[:3]), "--rtol", "1e-4", "--repeat", "1"])
        self.assertEqual(table.code, 0, table)
        for name in NAMES[:3]:
            self.assertIn(name, table.out)


if __name__ == "__main__":
    unittest.main()
