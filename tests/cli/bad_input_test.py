"""Wrong use: exit code 2, one clear message for each fault, nothing on standard output, no file made."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

HIRES = ["run", "hires", "radau5"]
GOOD = [*HIRES, "--rtol", "1e-4"]  # complete: what is added is the only fault


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


class BadInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def refused(self, args, *words, faults=1):
        """`words`: what each message must contain; a number in any notation."""
        with self.subTest(" ".join(args)):
            before = sorted(os.listdir(self.folder))
            result = tool.run(args, cwd=self.folder)
            self.assertEqual(result.code, 2, result)
            self.assertEqual(result.out, "", result)
            self.assertEqual(len(result.faults()), faults, f"one message for each fault is wanted\n{result}")
            numbers = [float(x) for x in re.findall(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?", result.err)]
            for word in words:
                if word not in result.err and number(word) not in numbers:
                    self.fail(f"the message does not contain '{word}'\n{result}")
            self.assertEqual(sorted(os.listdir(self.folder)), before, "a file was made")

    # --- names ---

    def test_problem(self):
        self.refused(["run", "hirs", "radau5", "--rtol", "1e-4"], "hirs", "did you mean 'hires'", "ivp list problems")
        self.refused(["run", "robber", "radau5", "--rtol", "1e-4"], "robber", "did you mean 'rober'")
        self.refused(["run", "xyzzy", "radau5", "--rtol", "1e-4"], "xyzzy", "ivp list problems")
        self.refused(["run", "", "radau5", "--rtol", "1e-4"], "''", "ivp list problems")
        self.refused(["run", "./problem.so", "radau5", "--rtol", "1e-4"], "./problem.so")
        self.refused(["check", "hirs"], "hirs", "did you mean 'hires'")
        self.refused(["show", "hirs"], "hirs", "did you mean 'hires'")
        self.refused(["show", "radua5"], "radua5", "did you mean 'radau5'")

    def test_solver(self):
        self.refused(["run", "hires", "radua5", "--rtol", "1e-4"], "radua5", "did you mean 'radau5'", "ivp list solvers")
        self.refused(["run", "hires", "xyzzy", "--rtol", "1e-4"], "xyzzy", "ivp list solvers")

    def test_command(self):
        self.refused(["runn", "hires", "radau5", "--rtol", "1e-4"], "runn", "did you mean 'run'", "ivp --help")
        self.refused(["xyzzy"], "xyzzy", "ivp --help")
        self.refused(["--xyzzy"], "--xyzzy", "ivp --help")
        alone = tool.run([], cwd=self.folder)
        self.assertEqual((alone.code, alone.out), (2, ""), alone)
        self.assertTrue(alone.err.endswith("\nivp: no command given\n"), alone)
        for command in ("demo", "choose", "completion"):
            self.assertRegex(alone.err, rf"\n  {command} +\w", "a newcomer sees the commands")

    def test_unknown_flag(self):
        self.refused([*GOOD, "--xyzzy"], "--xyzzy", "ivp run --help")
        self.refused([*GOOD, "--rtoll", "1e-4"], "--rtoll", "did you mean '--rtol'")
        self.refused([*GOOD, "extra"], "extra", "ivp run --help")
        self.refused(["list", "problems", "--xyzzy"], "--xyzzy", "ivp list --help")
        self.refused(["show", "hires", "--rtol", "1e-4"], "--rtol", "ivp show --help")

    def test_missing_arguments(self):
        self.refused(["run"], "problem", "solver", "ivp run --help")
        self.refused(["run", "hires"], "solver", "ivp run --help")
        self.refused(["show"], "problem", "solver", "ivp show --help")
        self.refused(["check"], "problem", "ivp check --help")
        self.refused(["list"], "problems", "solvers", "ivp list --help")
        self.refused([*HIRES, "--rtol"], "--rtol", "ivp run --help")

    # --- tolerances ---

    def test_rtol(self):
        self.refused([*HIRES, "--rtol", "0"], "rtol", "atol > 0")
        self.refused([*HIRES, "--rtol", "0", "--atol", "0"], "rtol", "atol > 0")
        self.refused([*HIRES, "--rtol", "0", "--atol", "1e-4"], "rtol", "radau5 needs rtol > 0")
        for text in ("-1e-4", "-4"):
            self.refused([*HIRES, "--rtol", text], "rtol", text, "not negative")
            self.refused([*HIRES, "--rtol=" + text], "rtol", text, "not negative")
        for text in ("nan", "NaN", "inf", "-inf", "1e400", "abc", "1e-4x", "0x1p-4", "1,5", "", " "):
            self.refused([*HIRES, "--rtol", text], "rtol", f"'{text}'", "finite", "1e-4")
        for text in ("1e-17", "1e-300"):
            self.refused([*HIRES, "--rtol", text], "rtol", text, "15 digits", "1e-15")
        self.refused([*HIRES, "--rtol", "2"], "rtol", "2", "from 1e-15 to 1")
        self.refused([*GOOD, "--rtol", "1e-5"], "--rtol")  # given twice

    def test_atol(self):
        self.refused([*GOOD, "--atol", "-1e-4"], "atol", "-1e-4", "not negative")
        self.refused([*GOOD, "--atol", "0"], "atol", "radau5 needs atol > 0")
        for text in ("nan", "inf", "1e400", "abc", ""):
            self.refused([*GOOD, "--atol", text], "atol", f"'{text}'", "finite", "1e-4")
        self.refused([*GOOD, "--atol", "1e-4,1e-5"], "atol", "2 values", "8")
        self.refused([*GOOD, "--atol", ",".join(["1e-4"] * 9)], "atol", "9 values", "8")
        self.refused([*GOOD, "--atol", ",".join(["1e-4"] * 7) + ",x"], "atol", "'x'", "finite")
        self.refused([*GOOD, "--atol", ",".join(["1e-4"] * 7) + ",-1"], "atol", "-1", "component 8", "not negative")
        self.refused([*GOOD, "--atol", ",".join(["1e-4"] * 8) + ","], "atol", "''")
        self.refused([*HIRES, "--atol", "1e-4"], "--atol", "--rtol")

    # --- steps and times ---

    def test_h0_and_hmax(self):
        for name in ("h0", "hmax"):
            for text in ("-1", "0", "-1e-6"):
                self.refused([*GOOD, "--" + name, text], name, text, "above 0")
            for text in ("nan", "abc", "1e400"):
                self.refused([*GOOD, "--" + name, text], name, f"'{text}'", "finite")

    def test_tend(self):
        for text in ("-1", "0"):
            self.refused([*GOOD, "--tend", text], "tend", text, "t0 = 0")
        for text in ("nan", "inf", "abc"):
            self.refused([*GOOD, "--tend", text], "tend", f"'{text}'", "finite")

    def test_limits(self):
        for name, values in {"max-steps": ["0", "-5"], "repeat": ["0", "-1"]}.items():
            for text in values:
                self.refused([*GOOD, "--" + name, text], name, text, "a whole number from 1")
        for name in ("max-steps", "repeat", "threads"):
            for text in ("1.5", "abc", "nan", ""):
                self.refused([*GOOD, "--" + name, text], name, f"'{text}'", "a whole number")
        for name, most in {"max-steps": "1000000000000000", "repeat": "1000000", "threads": "1024"}.items():
            self.refused([*GOOD, "--" + name, "9000000000000000"], name, "9000000000000000", "to " + most)
        for text in ("0", "-1"):
            self.refused([*GOOD, "--timeout", text], "timeout", text, "above 0")
        self.refused([*GOOD, "--timeout", "nan"], "timeout", "'nan'", "finite")

    # --- parameters and options ---

    def test_parameters(self):
        self.refused([*GOOD, "--set", "kpus=2"], "kpus", "did you mean 'kplus'", "k1, k2")
        self.refused([*GOOD, "--set", "xyzzy=2"], "xyzzy", "k1, k2")
        self.refused([*GOOD, "--set", "K1=2"], "K1", "did you mean 'k1'")
        self.refused([*GOOD, "--set", "k1=-2"], "k1", "-2", "from 0 to 1e6")
        self.refused([*GOOD, "--set", "k1=1e7"], "k1", "1e7", "from 0 to 1e6")
        for text in ("nan", "inf", "abc", "1e400"):
            self.refused([*GOOD, "--set", "k1=" + text], "k1", f"'{text}'", "from 0 to 1e6")
        for text in ("k1", "k1=", "=1", ""):
            self.refused([*GOOD, "--set", text], "--set", f"'{text}'", "name=value")
        self.refused([*GOOD, "--set", "k1=1", "--set", "k1=2"], "--set", "k1", "twice")
        for text in ("1", "3.5", "1e9"):
            self.refused(["run", "medakzo", "radau5", "--rtol", "1e-4", "--set", "N=" + text], "N", f"'{text}'", "a whole number from 2 to")
        self.refused(["check", "hires", "--set", "kpus=2"], "kpus", "did you mean 'kplus'")

    def test_options_of_the_solver(self):
        self.refused([*GOOD, "--opt", "safty=0.5"], "safty", "did you mean 'safety'", "radau5")
        self.refused([*GOOD, "--opt", "xyzzy=0.5"], "xyzzy", "safety", "radau5")
        self.refused([*GOOD, "--opt", "safety=5"], "safety", "5", "from 0.001 to 0.999")
        self.refused([*GOOD, "--opt", "nit=7.5"], "nit", "7.5", "a whole number from 3 to 50")
        self.refused([*GOOD, "--opt", "safety=abc"], "safety", "'abc'", "from 0.001 to 0.999")
        self.refused([*GOOD, "--opt", "predictive=maybe"], "predictive", "'maybe'", "yes, no")
        self.refused([*GOOD, "--opt", "predictive=2"], "predictive", "2", "yes, no")
        self.refused([*GOOD, "--opt", "xyzzy=yes"], "xyzzy", "safety", "radau5")
        self.refused(["run", "hires", "rodas", "--rtol", "1e-4", "--opt", "method=best"], "method", "'best'", "standard, other, parabolic")
        self.refused(["run", "hires", "radau", "--rtol", "1e-4", "--opt", "max_stages=4"], "max_stages", "4", "1, 3, 5, 7")
        for text in ("safety", "safety=", "=0.5"):
            self.refused([*GOOD, "--opt", text], "--opt", f"'{text}'", "name=value")
        plugin = tool.example("rosenbrock")
        self.refused(["run", "hires", plugin, "--rtol", "1e-4", "--opt", "safty=0.5"], "safty", "did you mean 'safety'", "rosenbrock")

    def test_choices(self):
        self.refused([*GOOD, "--jacobian", "xyzzy"], "--jacobian", "'xyzzy'", "exact, differences, original")
        self.refused([*GOOD, "--algebra", "xyzzy"], "--algebra", "'xyzzy'", "auto, dense, band, sparse, krylov")
        self.refused([*GOOD, "--restart", "maybe"], "--restart", "'maybe'", "yes, no")
        self.refused([*GOOD, "--format", "xml"], "--format", "'xml'", "text, json, csv")
        self.refused([*GOOD, "--form", "xyzzy"], "--form", "'xyzzy'", "ode, dae, ide")
        self.refused([*GOOD, "--form", "dae"], "--form", "'dae'", "ode, ide")

    def test_what_the_solver_cannot_do(self):
        self.refused([*GOOD, "--threads", "3"], "threads", "3", "radau5", "1 to 2")
        self.refused([*GOOD, "--threads", "0"], "threads", "0", "1")
        self.refused(["run", "medakzo", "radau5", "--rtol", "1e-4", "--algebra", "sparse"], "algebra", "sparse", "band 2,2", "auto, dense, band")
        self.refused([*GOOD, "--algebra", "band"], "algebra", "band", "auto, dense")  # the matrix is full
        self.refused([*GOOD, "--form", "ide"], "radau5", "hires", "G(t, y, y') = 0")
        self.refused(["run", "nand", "radau5", "--rtol", "1e-4"], "radau5", "nand", "G(t, y, y') = 0")

    # --- files ---

    def test_trajectory(self):
        os.mkdir(os.path.join(self.folder, "folder"))
        for path in ("missing/x.csv", "folder", "/proc/x", "/dev/null/x", ""):
            self.refused([*GOOD, "--repeat", "1", "--trajectory", path], "--trajectory", f"'{path}'")

    def test_trajectory_of_a_refused_run(self):
        self.refused([*GOOD, "--trajectory", "x.csv", "--threads", "3"], "threads")
        self.refused([*HIRES, "--trajectory", "x.csv", "--rtol", "1e-17"], "rtol")
        self.refused([*GOOD, "--trajectory", "x.csv", "--algebra", "band"], "algebra")

    def test_output_that_cannot_be_written(self):
        # Whatever is lost on its way out must not look like success.
        for args in ([*GOOD, "--repeat", "1"], [*GOOD, "--repeat", "1", "--format", "json"], ["list", "problems"], ["show", "hires"]):
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                done = subprocess.run([tool.TOOL, *args], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"cannot write", done.stderr)

    def test_plugin_file(self):
        self.refused(["run", "hires", "./missing.so", "--rtol", "1e-4"], "./missing.so", "no such file")
        self.refused(["run", "hires", "missing.so", "--rtol", "1e-4"], "missing.so", "no such file")
        with open(os.path.join(self.folder, "text.so"), "w", encoding="ascii") as f:
            f.write("this is not a library\n" * 1000)
        self.refused(["run", "hires", "./text.so", "--rtol", "1e-4"], "./text.so", "shared library")
        self.refused(["show", "./text.so"], "./text.so", "shared library")
        self.refused(["show", "text.so"], "text.so", "shared library")
        os.mkdir(os.path.join(self.folder, "folder.so"))
        self.refused(["run", "hires", "./folder.so", "--rtol", "1e-4"], "./folder.so", "not a file")

    def test_files_of_any_size(self):
        """Nothing is read of a file that is too large to be one of its kind."""
        for name in ["./huge.so", "huge.ivp", "huge.xml", "huge.f90", "huge.toml"]:
            with open(os.path.join(self.folder, name), "wb") as f:
                f.truncate(1 << 40)
        self.refused(["run", "hires", "./huge.so", "--rtol", "1e-4"], "./huge.so")
        self.refused(["run", "./huge.so", "radau5", "--rtol", "1e-4"], "./huge.so")
        for name in ["huge.ivp", "huge.xml", "huge.f90"]:
            self.refused(["run", name, "radau5", "--rtol", "1e-4"], name, "MB; allowed: ")
        self.refused(["campaign", "huge.toml", "--db", "a.db"], "huge.toml", "MiB")

    def test_demo_folder(self):
        with open(os.path.join(self.folder, "file"), "w", encoding="ascii") as f:
            f.write("in the way\n")
        self.refused(["demo", "--dir", "file"], "demo", "'file'")
        self.refused(["demo", "--dir", "/proc/x"], "demo", "'/proc/x'")

    # --- lists ---

    def test_list(self):
        self.refused(["list", "xyzzy"], "'xyzzy'", "problems, solvers")
        self.refused(["list", "problems", "--form", "xyzzy"], "--form", "'xyzzy'", "ode, dae, ide")
        self.refused(["list", "problems", "--index", "7"], "--index", "'7'", "0 to 3")
        self.refused(["list", "problems", "--index", "abc"], "--index", "'abc'", "whole number")
        self.refused(["list", "problems", "--tag", "chem"], "--tag", "'chem'", "did you mean 'chemistry'")
        self.refused(["list", "solvers", "--tag", "stiff"], "--tag", "problems")
        self.refused(["list", "problems", "--format", "html"], "--format", "'html'", "text, json, csv")
        self.refused(["show", "hires", "--format", "csv"], "--format", "'csv'", "text, json, html")
        self.refused(["check", "hires", "--format", "csv"], "--format", "'csv'", "text, json")

    # --- several at once ---

    def test_every_fault_is_reported_at_once(self):
        self.refused([*GOOD, "--atol", "-1", "--h0", "0", "--opt", "xyzzy=1", "--threads", "3", "--repeat", "0", "--tend", "-1", "--timeout", "0"],
                     "atol", "h0", "xyzzy", "threads", "repeat", "tend", "timeout", faults=7)
        self.refused([*HIRES, "--rtol", "nan", "--atol", "x", "--jacobian", "j", "--algebra", "a", "--format", "xml"],
                     "rtol", "atol", "--jacobian", "--algebra", "--format", faults=5)
        self.refused(["list", "problems", "--form", "x", "--index", "9", "--format", "xml"], "--form", "--index", "--format", faults=3)
        self.refused([*GOOD, "--set", "xyzzy=1", "--set", "k1=-1", "--set", "k2"], "xyzzy", "k1", "'k2'", faults=3)

    def test_unreadable_and_impossible_values_together(self):
        self.refused([*HIRES, "--rtol", "abc", "--h0", "0", "--threads", "3"], "rtol", "h0", "threads", faults=3)

    def test_names_and_values_together(self):
        self.refused(["run", "hirs", "radua5", "--rtol", "abc"], "'hires'", "'radau5'", "rtol", faults=3)
        self.refused([*HIRES, "--rtol", "abc", "--set", "k1=-1"], "rtol", "k1", faults=2)


if __name__ == "__main__":
    unittest.main()
