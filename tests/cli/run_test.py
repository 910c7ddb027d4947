"""`ivp run` as a user meets it: formats, defaults, questions, options, exit codes."""

import csv
import io
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

PUBLISHED = ["hires", "radau5", "--rtol", "1e-4", "--atol", "1e-4", "--h0", "1e-6"]
# What a record carries at least, with the type of each field.
FIELDS = {
    "problem": str, "solver": str, "library": str, "form": str, "dimension": int, "rtol": float, "atol": float, "h0": float, "outcome": str,
    "message": str, "t_end_reached": float, "y": list, "scd": float, "scd_abs": float, "mescd": float, "steps": int, "accepted": int,
    "rejected": int, "nfev": int, "nfev_jac": int, "njac": int, "nlu": int, "nsolve": int, "cpu_s": float, "wall_s": float,
    "repeats": int, "threads": int, "jacobian": str, "algebra": str, "claimed": dict, "build": dict, "machine": dict, "command": str,
    "schema": int, "extra": dict,
}
COUNTS = ["steps", "accepted", "rejected", "nfev", "nfev_jac", "njac", "nlu", "nsolve"]


def counts(record):
    return {name: record[name] for name in COUNTS}


def without_measurements(text):
    """The text of a record without the numbers that the machine decides: times and memory."""
    return re.sub(r'"(cpu_s|wall_s|cpu_samples|wall_samples|peak_memory_mib)":(\[[^]]*\]|[^,}]*)', r'"\1":null', text)


class Formats(unittest.TestCase):
    """The same run as JSON, CSV and listing."""

    @classmethod
    def setUpClass(cls):
        cls.result = tool.run(["run", *PUBLISHED, "--format", "json"])
        cls.record = cls.result.json()

    def test_the_published_row(self):
        self.assertEqual(self.result.code, 0)
        r = self.record
        self.assertEqual([r[k] for k in ("steps", "accepted", "nfev", "njac", "nlu")], [42, 33, 333, 21, 41])
        self.assertEqual(f"{r['scd']:.2f}", "0.72")
        self.assertEqual(r["outcome"], "success")
        self.assertEqual(r["rejected"], 9)
        self.assertEqual(r["nfev_jac"], 0)

    def test_every_field_is_there(self):
        for name, kind in FIELDS.items():
            with self.subTest(field=name):
                self.assertIn(name, self.record)
                self.assertIs(type(self.record[name]), kind)

    def test_the_values_say_what_was_run(self):
        r = self.record
        self.assertEqual((r["problem"], r["solver"], r["form"], r["dimension"]), ("hires", "radau5", "ode", 8))
        self.assertEqual((r["rtol"], r["atol"], r["h0"]), (1e-4, 1e-4, 1e-6))
        self.assertEqual((r["jacobian"], r["algebra"], r["threads"], r["schema"]), ("exact", "dense", 1, 1))
        self.assertEqual(r["t_end_reached"], 321.8122)
        self.assertEqual(len(r["y"]), 8)
        self.assertAlmostEqual(r["y"][6] + r["y"][7], 0.0057, places=12)  # the invariant of the problem
        self.assertGreaterEqual(r["repeats"], 5)  # a run this short is repeated until its time is reliable
        self.assertGreater(r["cpu_s"], 0)
        self.assertGreater(r["wall_s"], 0)
        for group, keys in {"build": ["compiler", "flags", "version", "instruction_set", "kernels"], "machine": ["cpu", "cores", "os"]}.items():
            for key in keys:
                self.assertTrue(r[group][key], f"{group}.{key} is empty")

    def test_one_line_of_json_and_nothing_else(self):
        self.assertEqual(self.result.out.count("\n"), 1)
        self.assertEqual(self.result.err, "")

    def test_csv_has_a_header_and_one_row_with_the_same_numbers(self):
        result = tool.run(["run", *PUBLISHED, "--format", "csv"])
        self.assertEqual(result.code, 0)
        rows = list(csv.reader(io.StringIO(result.out)))
        self.assertEqual(len(rows), 2)
        self.assertEqual(len(rows[0]), len(rows[1]))
        row = dict(zip(rows[0], rows[1]))
        for name in FIELDS:
            self.assertTrue(name == "y" or name in row, name)
        for name in COUNTS + ["scd", "scd_abs", "mescd", "rtol", "atol", "h0", "t_end_reached", "dimension"]:
            self.assertEqual(float(row[name]), self.record[name], name)
        for name in ("problem", "solver", "form", "outcome", "jacobian", "algebra"):
            self.assertEqual(row[name], self.record[name])
        self.assertEqual([float(row[f"y_{i + 1}"]) for i in range(len(self.record["y"]))], self.record["y"])
        self.assertEqual(json.loads(row["build"]), self.record["build"])

    def test_the_listing_carries_what_the_original_listing_carries(self):
        result = tool.run(["run", *PUBLISHED])
        self.assertEqual((result.code, result.err), (0, ""))
        text, r = result.out, self.record
        self.assertRegex(text, r"(?m)^Solving problem HIRES using RADAU5$")
        for what, value in {"relative error tolerance": 1e-4, "absolute error tolerance": 1e-4, "initial stepsize": 1e-6}.items():
            self.assertEqual(float(re.search(rf"{what}: *(\S+)", text)[1]), value)

        components = re.findall(r"(?m)^ *y\( *(\d+)\) = *(\S+) +(\S+) +(\S+) *$", text)
        self.assertEqual([int(c[0]) for c in components], list(range(1, 9)))
        self.assertEqual([float(c[1]) for c in components], r["y"])
        self.assertEqual(min(float(c[2]) for c in components), round(r["scd_abs"], 2))
        self.assertEqual(min(float(c[3]) for c in components), round(r["scd"], 2))
        for heading in ("solution component", "abs", "rel", "ignore"):
            self.assertIn(heading, text)

        self.assertRegex(text, r"used components for scd +8 +8\n")
        self.assertRegex(text, rf"scd of Y \(maximum norm\) +{r['scd_abs']:.2f} +{r['scd']:.2f}\n")
        self.assertRegex(text, rf"mixed error yields mescd +{r['mescd']:.2f}\n")
        self.assertRegex(text, r"using relative error yields scd +0\.72\n")

        self.assertIn("Integration characteristics", text)
        for what, name in {"integration steps": "steps", "accepted steps": "accepted", "f evaluations": "nfev",
                           "Jacobian evaluations": "njac", "LU decompositions": "nlu"}.items():
            self.assertRegex(text, rf"number of {what} +{r[name]}\n")
        self.assertGreater(float(re.search(r"CPU-time used: +(\S+) sec", text)[1]), 0)

    def test_the_listing_says_where_the_digits_are_those_of_the_absolute_error(self):
        result = tool.run(["run", "medakzo", "radau5", "--rtol", "1e-4", "--repeat", "1"])
        self.assertRegex(result.out, r"using absolute error yields scd +\d")
        self.assertIn("370 components not shown", result.out)


class Protocol(unittest.TestCase):
    """What is not given follows the problem's rule."""

    def test_atol_and_h0(self):
        for problem, atol, h0 in [("rober", 1e-8, 1e-6), ("hires", 1e-4, 1e-6), ("medakzo", 1e-4, 1e-9), ("transamp", 1e-4, 1e-6),
                                  ("caraxis", 1e-4, 1e-4)]:
            with self.subTest(problem=problem):
                r = tool.record([problem, "radau5", "--rtol", "1e-4"])
                self.assertEqual(r["rtol"], 1e-4)
                self.assertAlmostEqual(r["atol"] / atol, 1, places=12)
                self.assertAlmostEqual(r["h0"] / h0, 1, places=12)

    def test_the_rule_scales_with_rtol(self):
        r = tool.record(["rober", "radau5", "--rtol", "1e-7"])
        self.assertAlmostEqual(r["atol"] / 1e-11, 1, places=12)
        self.assertAlmostEqual(r["h0"] / 1e-9, 1, places=12)

    def test_a_solver_with_its_own_start_is_given_no_h0(self):
        self.assertIsNone(tool.record(["hires", tool.example("rosenbrock"), "--rtol", "1e-4"])["h0"])

    def test_one_atol_per_component(self):
        same = tool.record(["hires", "radau5", "--rtol", "1e-4", "--h0", "1e-6", "--atol", ",".join(["1e-4"] * 8)])
        self.assertEqual(same["atol"], [1e-4] * 8)
        self.assertEqual(counts(same), counts(tool.record(PUBLISHED)))
        other = tool.record(["hires", "radau5", "--rtol", "1e-4", "--h0", "1e-6", "--atol", "1e-9," + ",".join(["1e-4"] * 7)])
        self.assertNotEqual(counts(other), counts(same))

    def test_fortran_exponents(self):
        r = tool.record(["hires", "radau5", "--rtol", "1d-4", "--atol", "1D-4", "--h0", "1.0d-06"])
        self.assertEqual((r["rtol"], r["atol"], r["h0"]), (1e-4, 1e-4, 1e-6))


class Questions(unittest.TestCase):
    """Without tolerances the tool asks, as the original did."""

    ASK = ["run", "hires", "radau5", "--repeat", "1", "--format", "json"]

    def test_answers(self):
        for name, answers, expected in [
            ("numbers", "1e-4\n1e-4\n1e-6\n", (1e-4, 1e-4, 1e-6)),
            ("fortran", "1d-4\n1D-4\n1d-6\n", (1e-4, 1e-4, 1e-6)),
            ("powers of ten", "-4\n-4\n-6\n", (1e-4, 1e-4, 1e-6)),
            ("defaults", "\n\n\n", (1e-5, 1e-5, 1e-7)),
            ("default after an answer", "1d-4\n\n\n", (1e-4, 1e-4, 1e-6)),
            ("blanks and carriage returns", " 1e-4 \r\n\r\n1e-6\r\n", (1e-4, 1e-4, 1e-6)),
        ]:
            with self.subTest(name):
                result = tool.run(self.ASK, input=answers)
                self.assertEqual(result.code, 0, result)
                r = result.json()  # standard output holds the record and nothing else
                for got, want in zip((r["rtol"], r["atol"], r["h0"]), expected):
                    self.assertAlmostEqual(got / want, 1, places=12)
                for prompt in ("relative error tolerance", "absolute error tolerance", "initial stepsize"):
                    self.assertIn(prompt, result.err)

    def test_the_answers_give_the_published_row(self):
        self.assertEqual(counts(tool.run(self.ASK, input="-4\n-4\n-6\n").json()), counts(tool.record(PUBLISHED)))

    def test_h0_is_asked_only_where_it_is_needed_and_not_given(self):
        given = tool.run([*self.ASK, "--h0", "1e-6"], input="-4\n-4\n")
        self.assertEqual(given.code, 0, given)
        self.assertIn("absolute error tolerance", given.err)
        self.assertNotIn("initial stepsize", given.err)
        plugin = tool.example("rosenbrock")
        own_start = tool.run(["run", "hires", plugin, "--repeat", "1", "--format", "json"], input="-4\n-4\n")
        self.assertEqual(own_start.code, 0, own_start)
        self.assertNotIn("initial stepsize", own_start.err)

    def test_proposals_are_round_numbers(self):
        proposed = re.findall(r"\[(\S+)\]", tool.run(self.ASK, input="1e-4\n1e-4\n1e-6\n").err)
        self.assertEqual(len(proposed), 3)
        for text in proposed:
            self.assertLessEqual(len(text), 6, f"'{text}' is not a number a person would propose")

    def test_the_command_of_the_record_holds_the_answers(self):
        first = tool.run(self.ASK, input="1e-3\n1e-5\n1e-7\n").json()
        again = tool.run(shlex.split(first["command"])[1:])
        self.assertEqual(again.code, 0, again)
        self.assertEqual(counts(again.json()), counts(first))

    def test_nobody_to_ask(self):
        result = tool.run(self.ASK)
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertEqual(len(result.faults()), 1)
        self.assertIn("--rtol", result.err)

    def test_wrong_answers(self):
        for name, answers, words in [("no number", "abc\n", ["abc"]), ("end of input", "1e-4\n", ["absolute error tolerance"]),
                                     ("no input", "", ["relative error tolerance"])]:
            with self.subTest(name):
                result = tool.run(self.ASK, input=answers)
                self.assertEqual((result.code, result.out), (2, ""))
                for word in words:
                    self.assertIn(word, result.err)


class Locale(unittest.TestCase):
    """Numbers are read and printed the same everywhere."""

    def test_every_locale_gives_the_same_bytes(self):
        settings = [{"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}, {"LC_ALL": "", "LC_NUMERIC": "de_DE.UTF-8"}, {"LC_ALL": "de_DE.UTF-8"}]
        texts = set()
        for env in settings:
            result = tool.run(["run", "hires", "radau5", "--rtol", "1.5e-4", "--atol", "1.5d-4", "--h0", "1e-6", "--set", "k1=1.72",
                               "--repeat", "1", "--format", "json"], env=env)
            self.assertEqual(result.code, 0, result)
            texts.add(without_measurements(result.out))
        self.assertEqual(len(texts), 1)
        r = json.loads(texts.pop())
        self.assertEqual((r["rtol"], r["atol"]), (1.5e-4, 1.5e-4))

    def test_a_comma_is_never_a_decimal_point(self):
        result = tool.run(["run", "hires", "radau5", "--rtol", "1,5e-4"], env={"LC_ALL": "de_DE.UTF-8"})
        self.assertEqual(result.code, 2)
        self.assertIn("1,5e-4", result.err)


class Trajectory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "hires course.csv")

    def rows(self):
        with open(self.path, newline="", encoding="ascii") as f:
            header, *rows = list(csv.reader(f))
        return header, [[float(x) for x in row] for row in rows]

    def test_every_accepted_step_in_full_precision(self):
        r = tool.record([*PUBLISHED, "--repeat", "3", "--trajectory", self.path])
        header, rows = self.rows()
        self.assertEqual(header, ["t", "Pr", "Pfr", "PrX", "PfrX", "PrX'", "PfrX'", "PfrX'E", "E"])
        self.assertEqual(rows[0], [0, 1, 0, 0, 0, 0, 0, 0, 0.0057])
        self.assertEqual(len(rows), r["accepted"] + 1)
        self.assertEqual(rows[-1], [r["t_end_reached"], *r["y"]])
        for before, after in zip(rows, rows[1:]):
            self.assertLess(before[0], after[0])
        self.assertEqual(os.listdir(self.folder), [os.path.basename(self.path)])

    def test_a_breakpoint_is_hit_exactly(self):
        r = tool.record(["medakzo", "radau5", "--rtol", "1e-4", "--set", "N=20", "--trajectory", self.path])
        _, rows = self.rows()
        self.assertEqual(sum(row[0] == 5.0 for row in rows), 1)
        self.assertEqual(rows[-1], [20.0, *r["y"]])
        self.assertEqual(len(rows), r["accepted"] + 1)

    def test_a_run_that_fails_leaves_the_steps_it_made(self):
        result = tool.run(["run", *PUBLISHED, "--max-steps", "5", "--trajectory", self.path, "--format", "json"])
        self.assertEqual(result.code, 1)
        _, rows = self.rows()
        self.assertEqual(len(rows), result.json()["accepted"] + 1)
        self.assertEqual(os.listdir(self.folder), [os.path.basename(self.path)])

    def test_an_older_file_is_replaced_by_a_good_run_and_kept_by_a_refused_one(self):
        with open(self.path, "w", encoding="ascii") as f:
            f.write("t,y1\nold\n")
        self.assertEqual(tool.run(["run", *PUBLISHED, "--threads", "3", "--trajectory", self.path]).code, 2)
        with open(self.path, encoding="ascii") as f:
            self.assertEqual(f.read(), "t,y1\nold\n")
        tool.record([*PUBLISHED, "--trajectory", self.path])
        self.assertEqual(self.rows()[0][0], "t")

    def test_a_pipe_stays_a_pipe(self):
        # A device such as /dev/null must not be replaced by a file either; a named pipe shows it without harm.
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that a writer is not kept waiting for a reader
        self.addCleanup(os.close, end)
        result = tool.run(["run", *PUBLISHED, "--repeat", "1", "--trajectory", pipe])
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode), "the pipe was replaced by a file")
        if result.code == 0:
            self.assertTrue(os.read(end, 65536).startswith(b"t,Pr,"), "neither written into the pipe nor refused")
        else:
            self.assertEqual((result.code, result.out), (2, ""))
            self.assertIn(pipe, result.err)


class Settings(unittest.TestCase):
    """Options that change the run, and what the record says then."""

    def test_a_changed_parameter_has_no_digits(self):
        r = tool.record([*PUBLISHED, "--set", "k1=1.8"])
        self.assertEqual(r["parameters"], {"k1": "1.8"})
        self.assertEqual([r["scd"], r["scd_abs"], r["mescd"]], [None, None, None])
        self.assertNotEqual(r["y"], tool.record(PUBLISHED)["y"])
        default = tool.record([*PUBLISHED, "--set", "k1=1.71"])
        self.assertEqual(default["parameters"], {})
        self.assertEqual(f"{default['scd']:.2f}", "0.72")

    def test_several_parameters(self):
        r = tool.record([*PUBLISHED, "--set", "k1=1.8", "--set", "oks=0"])
        self.assertEqual(set(r["parameters"]), {"k1", "oks"})

    def test_a_grid_size_changes_the_dimension(self):
        self.assertEqual(tool.record(["medakzo", "radau5", "--rtol", "1e-4", "--set", "N=50"])["dimension"], 100)

    def test_another_end_point_has_no_digits(self):
        for tend in ("5", "1000"):
            r = tool.record([*PUBLISHED, "--tend", tend])
            self.assertEqual(r["t_end_reached"], float(tend))
            self.assertEqual([r["scd"], r["scd_abs"], r["mescd"]], [None, None, None])
        self.assertIsNotNone(tool.record([*PUBLISHED, "--tend", "321.8122"])["scd"])

    def test_the_listing_says_why_there_are_no_digits(self):
        result = tool.run(["run", *PUBLISHED, "--tend", "5", "--repeat", "1"])
        self.assertIn("no reference solution", result.out)

    def test_largest_step(self):
        self.assertGreaterEqual(tool.record([*PUBLISHED, "--hmax", "1"])["steps"], 322)

    def test_repeat(self):
        r = tool.record([*PUBLISHED, "--repeat", "7"])
        self.assertEqual((r["repeats"], len(r["cpu_samples"]), len(r["wall_samples"])), (7, 7, 7))
        # The least of the samples that were not disturbed: which these are, the machine decides.
        self.assertIn(r["cpu_s"], r["cpu_samples"])
        self.assertIn(r["wall_s"], r["wall_samples"])

    def test_jacobian_by_differences(self):
        exact = tool.record(PUBLISHED)
        r = tool.record([*PUBLISHED, "--jacobian", "differences"])
        self.assertEqual(r["jacobian"], "differences")
        self.assertEqual(r["nfev_jac"], 8 * r["njac"])
        self.assertEqual((exact["jacobian"], exact["nfev_jac"]), ("exact", 0))

    def test_jacobian_as_the_published_runs_had_it(self):
        self.assertEqual(tool.record([*PUBLISHED, "--jacobian", "original"])["jacobian"], "exact")
        r = tool.record(["caraxis", "radau5", "--rtol", "1e-4", "--jacobian", "original"])
        self.assertEqual(r["jacobian"], "differences")
        self.assertGreater(r["nfev_jac"], 0)

    def test_dense_and_band_algebra_take_the_same_steps(self):
        runs = {a: tool.record(["medakzo", "radau5", "--rtol", "1e-4", "--algebra", a]) for a in ("dense", "band", "auto")}
        self.assertEqual({a: r["algebra"] for a, r in runs.items()}, {"dense": "dense", "band": "band", "auto": "band"})
        self.assertEqual(counts(runs["dense"]), counts(runs["band"]))
        self.assertEqual(counts(runs["auto"]), counts(runs["band"]))

    def test_without_restarts_at_breakpoints(self):
        medakzo = ["medakzo", "radau5", "--rtol", "1e-4", "--set", "N=20"]
        restarted, whole = tool.record(medakzo), tool.record([*medakzo, "--restart", "no"])
        self.assertEqual((restarted["restart"], whole["restart"]), ("yes", "no"))
        self.assertNotEqual(counts(restarted), counts(whole))
        self.assertNotIn("--restart", restarted["command"])
        self.assertEqual(counts(tool.run(shlex.split(whole["command"])[1:]).json()), counts(whole))
        self.assertRegex(tool.run(["run", *medakzo, "--restart", "no", "--repeat", "1"]).out, r"restart at breakpoints: +no")

    def test_option_of_the_solver(self):
        r = tool.record([*PUBLISHED, "--opt", "safety=0.5"])
        self.assertEqual(r["options"], {"safety": 0.5})
        self.assertNotEqual(counts(r), counts(tool.record(PUBLISHED)))

    def test_options_take_words_and_the_numbers_behind_them(self):
        for solver, name, word, number in (("radau5", "predictive", "no", 0), ("rodas", "method", "parabolic", 3), ("gamd", "max_order", "5", 5)):
            with self.subTest(name):
                by_word, by_number = (tool.record(["hires", solver, "--rtol", "1e-6", "--opt", f"{name}={value}"]) for value in (word, number))
                self.assertEqual(by_word["options"], {name: number})
                self.assertEqual(counts(by_word), counts(by_number))
                self.assertNotEqual(counts(by_word), counts(tool.record(["hires", solver, "--rtol", "1e-6"])))

    def test_plugin_solver(self):
        plugin = tool.example("rosenbrock")
        r = tool.record(["hires", plugin, "--rtol", "1e-4", "--atol", "1e-4"])
        self.assertEqual((r["solver"], r["outcome"]), ("rosenbrock", "success"))
        self.assertGreater(r["scd"], 1)
        for name in ("nfev", "njac", "nlu", "nsolve"):
            self.assertEqual(r["claimed"][name], r[name], "what the solver claims and what was counted differ")


class Outcomes(unittest.TestCase):
    """Failure is data: exit code 1 and a complete record; refusal is wrong use: exit code 2 and nothing."""

    def test_too_many_steps(self):
        result = tool.run(["run", *PUBLISHED, "--max-steps", "5", "--format", "json"])
        self.assertEqual(result.code, 1)
        r = result.json()
        for name in FIELDS:
            self.assertIn(name, r)
        self.assertEqual((r["outcome"], r["steps"], r["scd"]), ("too_many_steps", 5, None))
        self.assertLess(r["t_end_reached"], 321.8122)
        self.assertTrue(r["message"])
        self.assertIn("too_many_steps", result.err)

    def test_too_many_steps_in_the_listing(self):
        result = tool.run(["run", *PUBLISHED, "--max-steps", "5"])
        self.assertEqual(result.code, 1)
        self.assertIn("Outcome: too_many_steps", result.out)
        self.assertIn("did not reach", result.out)

    def test_time_limit(self):
        result = tool.run(["run", "medakzo", "radau5", "--rtol", "1e-10", "--set", "N=20000", "--timeout", "0.05", "--format", "json"])
        self.assertEqual(result.code, 1)
        r = result.json()
        self.assertEqual((r["outcome"], r["dimension"]), ("timed_out", 40000))
        self.assertLessEqual(r["t_end_reached"], 20)
        self.assertEqual(tool.run(["run", "medakzo", "radau5", "--rtol", "1e-4", "--timeout", "200", "--repeat", "1"]).code, 0)

    def test_problems_the_solver_cannot_take(self):
        for args in (["nand", "radau5", "--rtol", "1e-4"], ["hires", "radau5", "--rtol", "1e-4", "--form", "ide"]):
            with self.subTest(args=args):
                result = tool.run(["run", *args])
                self.assertEqual((result.code, result.out), (2, ""))
                self.assertEqual(len(result.faults()), 1)
                for words in (args[0], "radau5", "G(t, y, y') = 0", "M y' = f(t, y)"):
                    self.assertIn(words, result.err)

    def test_the_stored_form_may_be_asked_for(self):
        self.assertEqual(counts(tool.record([*PUBLISHED, "--form", "ode"])), counts(tool.record(PUBLISHED)))

    def test_a_plugin_that_breaks_down_is_a_row_with_a_reason(self):
        hostile = os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins", "hostile.so")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "steps.csv")
            crash = tool.run(["run", "hires", hostile, "--rtol", "1e-4", "--opt", "deed=1", "--format", "json", "--trajectory", path])
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual(crash.code, 1)
        r = crash.json()
        self.assertEqual((r["outcome"], r["accepted"], r["cpu_s"], r["repeats"]), ("crashed", 1, None, 0))
        self.assertIn("signal 11", r["message"])
        listing = tool.run(["run", "hires", hostile, "--rtol", "1e-4", "--opt", "deed=1"])
        self.assertIn("Only this is known about the run: 1 accepted step.", listing.out)
        noisy = tool.run(["run", "hires", hostile, "--rtol", "1e-4", "--opt", "deed=12", "--format", "json", "--repeat", "1"])
        self.assertEqual(noisy.json()["outcome"], "wrong_answer")
        self.assertIn("garbage", noisy.err)

    def test_a_plugin_refuses_what_it_cannot_take(self):
        plugin = tool.example("rosenbrock")
        result = tool.run(["run", "caraxis", plugin, "--rtol", "1e-4"])
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertIn("y' = f(t, y)", result.err)

    def test_the_command_repeats_the_run(self):
        for args in (PUBLISHED, ["medakzo", "radau5", "--rtol", "1e-5", "--set", "N=30", "--tend", "7.5", "--opt", "safety=0.8"],
                     ["caraxis", "radau5", "--rtol", "1d-4", "--jacobian", "original"]):
            with self.subTest(args=args):
                first = tool.record(args)
                again = tool.run(shlex.split(first["command"])[1:])
                self.assertEqual(again.code, 0, again)
                second = again.json()
                self.assertEqual(counts(second), counts(first))
                self.assertEqual(second["y"], first["y"])
                self.assertEqual(second["command"], first["command"])

    def test_the_command_survives_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "it's $HOME; a \"name\".csv")
            command = tool.record([*PUBLISHED, "--trajectory", path])["command"]
            os.remove(path)
            self.assertTrue(command.startswith("ivp run hires radau5 "))
            script = shlex.quote(tool.TOOL) + command[len("ivp"):]
            subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=60)
            self.assertEqual(os.listdir(folder), [os.path.basename(path)])


if __name__ == "__main__":
    unittest.main()
