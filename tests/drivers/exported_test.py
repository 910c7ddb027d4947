"""IVP_EXPORT_PROBLEM: a text behind the contract of plug-ins gives the same runs as the same text in the catalog."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
import tool  # noqa: E402

COUNTS = ("outcome", "steps", "accepted", "nfev", "nfev_jac", "njac", "nlu", "y", "dimension", "tend", "rtol", "atol", "h0")


def exported(name):
    return os.path.join(tool.setting("IVP_BUILD"), "tests", "plugins", f"exported_{name}.so")


class Exported(tool.Folder):
    def same(self, name, solver, *more):
        options = ["--rtol", "1e-4", "--algebra", "dense", *more]
        ours = tool.record([name, solver, *options])
        theirs = tool.record([exported(name), solver, *options])
        self.assertEqual(theirs["problem_origin"], "plug-in")
        for field in COUNTS:
            self.assertEqual(theirs[field], ours[field], f"{name} {field}")
        return theirs

    def test_an_ode(self):
        self.assertEqual(self.same("hires", "radau5")["jacobian"], "exact")

    def test_a_dae_with_a_band(self):
        self.same("transamp", "radau5")

    def test_an_ide_with_breakpoints(self):
        self.same("nand", "dassl")

    def test_a_parameter(self):
        self.same("transamp", "radau5", "--set", "alpha=0.98")

    def test_the_check_of_the_tool_passes(self):
        for name in ("hires", "transamp", "nand"):
            result = tool.run(["check", exported(name)])
            self.assertEqual(result.code, 0, result)
            self.assertRegex(result.out, r"proven +Jacobian")

    def test_values_out_of_range_are_refused_in_words(self):
        result = tool.run(["run", exported("transamp"), "radau5", "--rtol", "1e-4", "--set", "alpha=-1"])
        self.assertEqual(result.code, 2)
        self.assertIn("alpha", result.err)

    def test_the_example_has_a_band_that_follows_its_parameter(self):
        fisher = tool.example("fisher")
        record = tool.record([fisher, "radau5", "--rtol", "1e-4", "--set", "N=400"])
        self.assertEqual((record["dimension"], record["algebra"], record["jacobian"]), (400, "band", "exact"))


if __name__ == "__main__":
    unittest.main()
