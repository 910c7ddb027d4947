"""`ivp new`: what it writes builds without a warning and works at once, in every language alike."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

LANGUAGES = ("c", "c++", "fortran")


def plain(language):
    return language.replace("+", "x")


class New(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    def make(self, kind, language, folder=None):
        """The path of the library, built as the user builds it."""
        name = f"{kind}-{plain(language)}"
        if folder is None and os.path.isdir(os.path.join(self.folder, name)):
            return f"./{name}/{name}.so"
        where = [] if folder is None else ["--dir", folder]
        result = tool.run(["new", kind, name, "--lang", language, *where], cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""), result)
        place = folder or name
        self.assertIn("make -C " + place, result.out)
        done = subprocess.run(["make", "-C", place], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("arning", done.stdout)
        return f"./{place}/{name}.so"

    def test_printed_commands_work_where_one_stands(self):
        with tempfile.TemporaryDirectory() as folder:
            result = tool.run(["new", "problem", "mine", "--lang", "c"], cwd=folder)
            self.assertEqual(result.code, 0, result)
            commands = [line.strip() for line in result.out.splitlines() if line.startswith("   ")]
            self.assertEqual(len(commands), 3, result)
            for command in commands:
                done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 0, (command, done.stdout, done.stderr))
            # Through the launcher of a clone, as it was typed; a name without a folder comes from PATH.
            for typed, shown in (("../clone/ivp", "../clone/ivp"), ("a b/ivp", "'a b/ivp'"), ("ivp", "ivp")):
                again = tool.run(["new", "problem", "mine", "--lang", "c", "--dir", f"in-{len(typed)}"], cwd=folder, env={"IVP_LAUNCHER": typed})
                self.assertIn(f"   {shown} check ./", again.out)

    def test_solvers_are_the_same_in_every_language(self):
        for options in ([], ["--jacobian", "differences"], ["--h0", "1e-3", "--hmax", "2"]):
            records = [tool.record(["hires", self.make("solver", lang), "--rtol", "1e-5", *options], cwd=self.folder) for lang in LANGUAGES]
            for r in records:
                self.assertEqual(r["outcome"], "success", r)
                self.assertGreater(r["mescd"], 4)
                self.assertEqual(r["njac"], r["accepted"])
                self.assertEqual(r["nlu"], r["steps"])
                self.assertEqual(r["nfev_jac"], 8 * r["njac"] if "differences" in options else 0)
                self.assertEqual([r[k] for k in ("steps", "accepted", "nfev", "nsolve")], [records[0][k] for k in ("steps", "accepted", "nfev", "nsolve")])
        # The method has order 2: a tolerance smaller by 100 needs ten times the steps.
        steps = [tool.record(["hires", self.make("solver", "c"), "--rtol", rtol], cwd=self.folder)["accepted"] for rtol in ("1e-5", "1e-7")]
        self.assertTrue(9 < steps[1] / steps[0] < 11, steps)

    def test_solvers_fail_in_order(self):
        for lang in LANGUAGES:
            with self.subTest(lang):
                path = self.make("solver", lang)
                few = tool.run(["run", "hires", path, "--rtol", "1e-6", "--max-steps", "50", "--format", "json"], cwd=self.folder)
                self.assertEqual((few.code, few.json()["outcome"], few.json()["steps"]), (1, "too_many_steps", 50))
                domain = tool.record(["chemakzo_ode", path, "--rtol", "1e-4"], cwd=self.folder)  # f refuses outside of its domain
                self.assertGreater(domain["mescd"], 2)
                late = tool.run(["run", "hires", path, "--rtol", "1e-12", "--timeout", "0.02", "--format", "json"], cwd=self.folder)
                self.assertEqual((late.code, late.json()["outcome"]), (1, "timed_out"), late)
                index1 = tool.run(["run", "transamp", path, "--rtol", "1e-4"], cwd=self.folder)
                self.assertEqual(index1.code, 2, index1)

    def test_problems_are_the_same_in_every_language(self):
        records = []
        for lang in LANGUAGES:
            path = self.make("problem", lang)
            checked = tool.run(["check", path], cwd=self.folder)
            self.assertEqual(checked.code, 0, checked)
            self.assertIn("All checks passed", checked.out)
            records.append(tool.record([path, "radau5", "--rtol", "1e-6", "--set", "eps=1e-3"], cwd=self.folder))
            records.append(tool.record([path, "radau5", "--rtol", "1e-6"], cwd=self.folder))
        self.assertGreater(records[1]["mescd"], 6)
        self.assertNotEqual(records[0]["y"], records[1]["y"], "the parameter does something")
        for r in records[2:]:
            first = records[0] if r["parameters"] else records[1]
            self.assertEqual([r["steps"], r["nfev"], r["nlu"]], [first["steps"], first["nfev"], first["nlu"]])

    def test_make_run(self):
        path = self.make("solver", "c", "mine")
        done = subprocess.run(["make", "-C", "mine", "run"], cwd=self.folder, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, path)
        self.assertIn("number of integration steps                132", done.stdout)

    def test_wrong_use(self):
        os.mkdir(os.path.join(self.folder, "taken"))
        before = sorted(os.listdir(self.folder))
        for args, *words in (
                (["solver", "mine", "--lang", "cobol"], "--lang", "'cobol'", "c, c++, fortran"),
                (["solver", "mine"], "--lang", "not given", "c, c++, fortran"),
                (["thing", "mine", "--lang", "c"], "'thing'", "solver, problem"),
                (["solver", "My Method", "--lang", "c"], "'My Method'", "letters a-z"),
                (["solver", "radau5", "--lang", "c"], "'radau5'", "already"),
                (["solver", "cvode", "--lang", "c"], "'cvode'", "already"),
                (["problem", "hires", "--lang", "c"], "'hires'", "already"),
                (["problem", "taken", "--lang", "c"], "'taken'", "does not exist yet"),
                (["problem", "mine", "--lang", "c", "--dir", "/proc/none"], "/proc/none"),
                (["problem", "mine", "--lang", "c", "--dir", ""], "--dir"),
                ([], "solver or problem", "its name", "ivp new --help")):
            with self.subTest(" ".join(args)):
                result = tool.run(["new", *args], cwd=self.folder)
                self.assertEqual((result.code, result.out), (2, ""), result)
                for word in words:
                    self.assertIn(word, result.err)
                self.assertEqual(sorted(os.listdir(self.folder)), before)
        many = tool.run(["new", "solver", "radau5", "--lang", "cobol", "--dir", "taken"], cwd=self.folder)
        self.assertEqual(len(many.faults()), 3, many)


if __name__ == "__main__":
    unittest.main()
