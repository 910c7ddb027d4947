"""`ivp choose` as a user meets it: the answer and the command that repeats it, no answer, plug-ins, wrong use."""

import os
import shlex
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

PLUGINS = os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins")
COUNTS = ["steps", "accepted", "nfev", "nfev_jac", "njac", "nlu"]


def choose(*args):
    return tool.run(["choose", *args])


class Answer(unittest.TestCase):
    def test_its_command_repeats_it_and_the_digits_are_real(self):
        result = choose("hires", "--digits", "5", "--solvers", "radau5,rodas,bimd", "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""), result)
        answer, candidates = result.json()["answer"], result.json()["candidates"]
        self.assertEqual({c["solver"] for c in candidates}, {"radau5", "rodas", "bimd"})
        self.assertEqual(answer["solver"], candidates[0]["solver"])
        self.assertEqual(answer["cpu_s"], min(c["run"]["cpu_s"] for c in candidates if c["verdict"] == "delivers"))
        self.assertGreaterEqual(answer["digits"], 5)
        for field in ("scd", "scd_abs", "mescd"):
            self.assertIsNone(candidates[0]["run"][field], "the stored reference had its say")
        words = shlex.split(answer["command"])
        self.assertEqual(words[:2], ["ivp", "run"])
        again = tool.record(words[2:])
        self.assertEqual([again[k] for k in COUNTS], [candidates[0]["run"][k] for k in COUNTS])
        self.assertGreaterEqual(again["mescd"], 5 - 0.1)
        self.assertAlmostEqual(again["mescd"], answer["digits"], delta=0.2)

    def test_in_words(self):
        result = choose("hires", "--solvers", "radau5,rodas", "--digits", "3")
        self.assertEqual((result.code, result.err), (0, ""), result)
        for words in ("hires (ode, 8 equations): which solver for 3 digits?", "Take r", "   ivp run hires r", "Every tolerance that was tried from", "mescd",
                      "Checked against tight runs of two methods", "agree to", "CPU [s]", "of the 20 s allowed"):
            self.assertIn(words, result.out)
        self.assertLessEqual(max(map(len, result.out.splitlines())), 100)

    def test_the_floor_and_other_settings_are_in_the_command(self):
        result = choose("vdpol", "--solvers", "radau5", "--digits", "3", "--floor", "1e-3", "--tend", "1", "--format", "json")
        self.assertEqual(result.code, 0, result)
        answer = result.json()["answer"]
        self.assertAlmostEqual(answer["atol"] / answer["rtol"], 1e-3)
        self.assertIn("--tend 1", answer["command"])
        self.assertIn("--atol", answer["command"])
        again = tool.record(shlex.split(answer["command"])[2:])
        self.assertEqual(again["atol"], answer["atol"])

    def test_a_problem_of_ones_own(self):
        result = choose(os.path.join(PLUGINS, "pendulum.so"), "--digits", "3", "--solvers", "bimd,mebdfdae", "--format", "json")
        self.assertEqual(result.code, 0, result)
        self.assertTrue(result.json()["reference"]["two_methods"])
        self.assertIn("pendulum.so", result.json()["answer"]["command"])

    def test_a_solver_that_never_ends_is_a_row(self):
        result = choose("vdpol", "--solvers", os.path.join(PLUGINS, "never_ends.so") + ",radau5", "--budget", "60", "--format", "json")
        self.assertEqual(result.code, 0, result)
        by_name = {c["solver"]: c for c in result.json()["candidates"]}
        self.assertEqual(by_name["radau5"]["verdict"], "delivers")
        self.assertIn(by_name["never_ends (plug-in)"]["verdict"], ("too_slow", "failed", "no_time"))
        self.assertNotEqual(by_name["never_ends (plug-in)"]["reason"], "")


    def test_the_store_has_the_best_run_of_each_also_of_a_plugin(self):
        with tempfile.TemporaryDirectory() as folder:
            db = os.path.join(folder, "a.db")
            result = choose("vdpol", "--solvers", tool.example("rosenbrock") + ",radau5", "--digits", "3", "--budget", "60", "--db", db)
            self.assertEqual(result.code, 0, result)
            rows = tool.run(["query", "--db", db, "--format", "csv", "SELECT solver, solver_origin FROM runs ORDER BY 1"])
            self.assertEqual(rows.out.split()[1:], ["radau5,own", "rosenbrock,plug-in"], rows)


class NoAnswer(unittest.TestCase):
    def test_how_far_it_went_and_who(self):
        result = choose("vdpol", "--solvers", "radau5", "--digits", "9", "--max-steps", "400")
        self.assertEqual((result.code, result.err), (1, ""), result)
        for words in ("No answer: no solver delivers 9 digits", "The most digits that are confirmed: ", " by radau5 at rtol", "--digits 6", "too_many_steps"):
            self.assertIn(words, result.out)

    def test_nobody_gets_through(self):
        result = choose("vdpol", "--max-steps", "20", "--format", "json")
        self.assertEqual(result.code, 1, result)
        self.assertIsNone(result.json()["answer"])
        self.assertIsNone(result.json()["reference"])
        self.assertEqual({c["verdict"] for c in result.json()["candidates"]}, {"failed"})


class WrongUse(unittest.TestCase):
    def test_all_faults_at_once(self):
        result = choose("hirse", "--digits", "x", "--budget", "-3", "--solvers", "radau6", "--floor", "0", "--format", "csv")
        self.assertEqual((result.code, result.out), (2, ""), result)
        for words in ("'hirse'", "did you mean 'hires'", "--digits: 'x'", "--budget: -3", "'radau6'", "--floor: '0'", "--format: 'csv'"):
            self.assertIn(words, result.err)
        self.assertEqual(len(result.faults()), 6, result)

    def test_each(self):
        for args, words in (
            ([], "missing: a problem"),
            (["hires", "--digits", "12"], "from 1 to 11"),
            (["hires", "--digits", "0"], "from 1 to 11"),
            (["hires", "--budget", "0"], "from 0.1"),
            (["hires", "--floor", "1,2"], "2 numbers given; allowed for hires: one, or 8"),
            (["nand", "--solvers", "radau5"], "radau5 cannot take nand"),
            (["hires", "--solvers", "radau5,radau5"], "each solver once"),
            (["hires", "--rtol", "1e-4"], "unknown option '--rtol'"),
            (["./nothing.so"], "nothing.so"),
        ):
            result = choose(*args)
            self.assertEqual((result.code, result.out), (2, ""), result)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
