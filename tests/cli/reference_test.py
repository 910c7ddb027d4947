"""`ivp reference` as a user meets it: stored values and digits, the derivation repeated, other times, the campaign, wrong use."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402


def reference(*args):
    return tool.run(["reference", *args])


def plugin(name):
    return os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins", name + ".so")


class Stored(unittest.TestCase):
    def test_json_has_the_shape_of_the_contract(self):
        result = reference("e5", "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""), result)
        r = result.json()
        self.assertEqual((r["problem"], r["variant"], r["t"]), ("e5", "", 1e13))
        self.assertTrue(r["methods"])
        self.assertEqual([c["index"] for c in r["components"]], [1, 2, 3, 4])
        self.assertEqual([c["kind"] for c in r["components"]], ["absolute", "relative", "relative", "absolute"])
        self.assertGreaterEqual(r["components"][1]["digits"], 20)
        self.assertTrue(r["components"][1]["value"].startswith("8.8612335212910842411"))
        self.assertIn("log10 y1 = -3440.76", r["note"])

    def test_text_prints_no_digit_that_is_not_proven(self):
        result = reference("vdpol")
        self.assertEqual((result.code, result.err), (0, ""), result)
        for line in result.out.splitlines():
            if line.strip().startswith("y("):
                value, digits = line.split("=")[1].split()[:2]
                mantissa = value.split("e")[0].replace(".", "").replace("-", "")
                self.assertEqual(len(mantissa), int(digits), line)
        self.assertIn("ivp reference vdpol --recompute", result.out)

    def test_other_parameters_that_the_catalog_knows(self):
        pi = "pi=3.14159265358979323846264338327950288"
        result = reference("crank", "--set", pi)
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertIn("With pi itself", result.out)
        self.assertIn(f"Derive it again: ivp reference crank --set {pi} --recompute", result.out)

    def test_values_that_no_derivation_has_found_do_not_ask_for_one(self):
        result = reference("pump")
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertIn("Source: the closed solution", result.out)
        self.assertNotIn("--recompute", result.out)

    def test_csv_is_the_file(self):
        result = reference("hires", "--format", "csv")
        self.assertEqual(result.code, 0)
        self.assertIn("\ncomponent,value,digits,kind\n1,7.37131257332566780727", result.out)
        self.assertIn("# recipe: radau:13:", result.out)


class Derived(unittest.TestCase):
    def test_the_derivation_is_repeated_and_confirms(self):
        result = reference("hires", "--recompute", "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""), result)
        r = result.json()
        self.assertTrue(r["confirmed"])
        self.assertEqual((r["compared"], r["contradictions"]), (8, []))
        self.assertEqual(len(r["runs"]), 4)
        self.assertLess(r["cpu_s"], 10)

    def test_a_component_lost_to_cancellation_is_confirmed_too(self):
        # y2 = -5.27108275512807778454...e-14 by the closed form with the decimal constants; quadruple precision alone leaves 15 digits of it.
        result = reference("detest-n-f1", "--recompute", "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertTrue(result.json()["confirmed"])
        self.assertGreaterEqual(result.json()["components"][1]["digits"], 17)

    def test_less_effort_does_not_confirm(self):
        result = reference("hires", "--recompute", "--recipe", "radau:13:1e-8,1e-9 lobatto:15:1e-8,1e-9")
        self.assertEqual(result.code, 1)
        self.assertIn("Not confirmed", result.out)
        self.assertNotIn("Contradicted", result.out)

    def test_other_times_and_parameters(self):
        result = reference("rober", "--at", "4e5,40", "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""), result)
        r = result.json()
        self.assertEqual((r["path"][0]["t"], r["t"]), (40.0, 4e5))
        # Values that textbooks print at t = 40.
        self.assertTrue(r["path"][0]["components"][0]["value"].startswith("7.1582706871"))
        other = reference("rober", "--set", "k1=0.05", "--at", "40", "--format", "json").json()
        self.assertEqual(other["variant"], "k1=0.05")
        self.assertFalse(other["components"][0]["value"].startswith("7.158"))

    def test_what_is_derived_can_be_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rober.csv")
            result = reference("rober", "--recompute", "--out", path)
            self.assertEqual((result.code, result.err), (0, ""), result)
            with open(path, encoding="utf-8") as file:
                kept, stored = file.read().splitlines(), reference("rober", "--format", "csv").out.splitlines()
            self.assertEqual(len(kept), len(stored))
            for a, b in zip(kept, stored):
                self.assertEqual(a[:28], b[:28], "the last digits depend on the machine")


    def test_a_recipe_alone_derives_too(self):
        result = reference("hires", "--recipe", "radau:9:1e-9,1e-10 lobatto:11:1e-9,1e-10", "--format", "json")
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertEqual(len(result.json()["runs"]), 4)
        self.assertLess(max(c["digits"] for c in result.json()["components"]), 26)


class All(unittest.TestCase):
    """The campaign over all references takes hours: here it is killed after its first ones, and resumed."""

    def until(self, args, done):
        """Starts it, kills it as soon as `done` likes what it has printed, and returns that."""
        told = ""
        with subprocess.Popen([tool.TOOL, "reference", "all", "--recompute", *args], stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                told += line
                if done(told):
                    break
            process.kill()
        return told

    def test_a_killed_campaign_is_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log.jsonl")
            first = self.until(["--out", log], lambda told: told.count("confirmed") == 2)
            self.assertRegex(first, r"hires +confirmed .*\npollu +confirmed ")
            with open(log, encoding="utf-8") as file:
                logged = file.read()
            self.assertEqual([json.loads(line)["problem"] for line in logged.splitlines()], ["hires", "pollu"])
            with open(log, "a", encoding="utf-8") as file:
                file.write('{"problem": "ringm')
            again = self.until(["--out", log, "--resume"], lambda told: "pollu" in told)
            self.assertEqual(again.count("(in the log)"), 2, again)
            with open(log, encoding="utf-8") as file:
                self.assertEqual(file.read(), logged)


class Made(unittest.TestCase):
    def test_a_reference_for_other_parameters_gives_runs_their_digits(self):
        with tempfile.TemporaryDirectory() as folder:
            run = ["run", "chemakzo_ode", "radau5", "--set", "k1=20", "--rtol", "1e-6", "--atol", "1e-6", "--format", "json"]
            self.assertIsNone(tool.run(run, cwd=folder).json()["mescd"])
            result = tool.run(["reference", "chemakzo_ode", "--set", "k1=20", "--make", "--format", "json"], cwd=folder)
            self.assertEqual((result.code, result.err), (0, ""), result)
            self.assertGreaterEqual(min(c["digits"] for c in result.json()["components"]), 16)
            self.assertGreater(tool.run(run, cwd=folder).json()["mescd"], 5)
            run[4] = "k1=21"
            self.assertIsNone(tool.run(run, cwd=folder).json()["mescd"], "a reference belongs to its parameters")

            kept = os.path.join(folder, "ivp-references", "chemakzo_ode,k1=20.csv")
            with open(kept, "w", encoding="utf-8") as file:
                file.write("nonsense\n")
            run[4] = "k1=20"
            broken = tool.run(run, cwd=folder)
            self.assertEqual((broken.code, broken.out), (2, ""))
            self.assertIn("chemakzo_ode,k1=20.csv", broken.err)


    def test_another_end_point(self):
        with tempfile.TemporaryDirectory() as folder:
            run = ["run", "hires", "radau5", "--tend", "10", "--rtol", "1e-6", "--atol", "1e-6", "--format", "json"]
            self.assertIsNone(tool.run(run, cwd=folder).json()["mescd"])
            result = tool.run(["reference", "hires", "--tend", "10", "--make", "--format", "json"], cwd=folder)
            self.assertEqual((result.code, result.err), (0, ""), result)
            self.assertEqual(result.json()["t"], 10)
            self.assertTrue(os.path.exists(os.path.join(folder, "ivp-references", "hires,tend=10.csv")))
            self.assertGreater(tool.run(run, cwd=folder).json()["mescd"], 4)
            shown = tool.run(["reference", "hires", "--tend", "10", "--format", "json"], cwd=folder)
            self.assertEqual((shown.code, shown.json()["t"]), (0, 10))
            self.assertGreater(tool.run(["reference", "hires", "--format", "json"], cwd=folder).json()["t"], 300, "its own is not touched")

    def test_one_number_has_one_reference_however_it_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            made = tool.run(["reference", "chemakzo_ode", "--set", "k1=20.0", "--make"], cwd=folder)
            self.assertEqual((made.code, made.err), (0, ""), made)
            self.assertEqual(os.listdir(os.path.join(folder, "ivp-references")), ["chemakzo_ode,k1=20.csv"])
            for spelling in ("20", "2e1", "0.2E+2", "+20.00", "200d-1"):
                run = tool.run(["run", "chemakzo_ode", "radau5", "--set", "k1=" + spelling, "--rtol", "1e-6", "--repeat", "1", "--format", "json"], cwd=folder)
                self.assertGreater(run.json()["mescd"] or 0, 5, spelling)

    def test_a_made_reference_is_shown_as_it_is_kept_and_derived_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "zero.ivp"), "w", encoding="utf-8") as file:
                file.write("interval 0 .. 2\nstate x = 1\nstate z = 0.5\nx' = -x\nz' = -100*z\n")
            made = tool.run(["reference", "zero.ivp", "--make", "--format", "json"], cwd=folder).json()
            shown = tool.run(["reference", "zero.ivp", "--format", "json"], cwd=folder).json()
            self.assertEqual(made["components"], shown["components"])
            self.assertEqual((shown["components"][1]["kind"], made["recipe"], made["note"]), ("absolute", shown["recipe"], shown["note"]))
            self.assertLess(shown["components"][1]["digits"], 100)
            again = tool.run(["reference", "zero.ivp", "--recompute"], cwd=folder)
            self.assertEqual((again.code, again.err), (0, ""), again)
            self.assertIn("Confirmed: all 2 values", again.out)

    def test_a_made_reference_goes_before_the_files_own(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(plugin("pendulum"), os.path.join(folder, "mine.so"))
            run = ["run", "./mine.so", "radau5", "--rtol", "1e-6", "--repeat", "1", "--format", "json"]
            self.assertLess(tool.run(run, cwd=folder).json()["scd"], 1, "its own reference is made up")
            self.assertEqual(tool.run(["reference", "./mine.so", "--make"], cwd=folder).code, 0)
            self.assertGreater(tool.run(run, cwd=folder).json()["scd"], 3)

    def test_little_effort_that_proves_nothing_is_not_the_end(self):
        lorenz = "interval 0 .. 40\nstate x = 1\nstate y = 1\nstate z = 20\nx' = 10*(y - x)\ny' = x*(28 - z) - y\nz' = x*y - 8/3*z\n"
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "lorenz.ivp"), "w", encoding="utf-8") as file:
                file.write(lorenz)
            found = tool.run(["reference", "lorenz.ivp", "--digits", "8", "--format", "json"], cwd=folder)
            self.assertEqual((found.code, found.err), (0, ""), found)
            self.assertGreaterEqual(min(c["digits"] for c in found.json()["components"]), 8)
            missed = tool.run(["reference", "lorenz.ivp", "--digits", "29"], cwd=folder)
            self.assertEqual(missed.code, 1)
            self.assertRegex(missed.err, "^ivp: --digits 29: the derivation ended with [0-9]+ digits of the component that is known worst")
            loose = ["reference", "lorenz.ivp", "--make", "--recipe", "radau:9:1e-8,1e-9 lobatto:11:1e-8,1e-9"]
            nothing = tool.run(loose, cwd=folder)
            self.assertEqual((nothing.code, nothing.out), (1, ""))
            self.assertIn("no reference: no digit of y1 at t = 40 is the same in all runs", nothing.err)
            self.assertEqual(os.listdir(folder), ["lorenz.ivp"])

    def test_scaled_values_have_the_digits_they_claim(self):
        again = reference("detest-n-b1", "--set", "scaled=1", "--recompute")
        self.assertEqual((again.code, again.err), (0, ""), again)
        self.assertIn("Confirmed", again.out)
        self.assertIn("'ivp reference detest-n-f1 --recompute' derives those", reference("detest-n-f1", "--set", "scaled=1").out)
        series = reference("detest-n-b1", "--set", "scaled=1", "--recipe", "taylor:20:1e-18,1e-20 gbs:10:1e-18,1e-20")
        self.assertEqual(series.code, 2)
        self.assertIn("taylor and gbs read the formula of a problem; that of 'detest-n-b1' can only be evaluated", series.err)

    def test_a_problem_from_a_file_by_tight_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(plugin("brusselator"), os.path.join(folder, "mine.so"))
            run = ["run", "./mine.so", "radau5", "--rtol", "1e-6", "--atol", "1e-6", "--format", "json"]
            result = tool.run(["reference", "./mine.so", "--make", "--format", "json"], cwd=folder)
            self.assertEqual((result.code, result.err), (0, ""), result)
            self.assertIn("estimated", result.out)
            self.assertTrue(os.path.exists(os.path.join(folder, "mine.so.reference.csv")))
            self.assertGreater(tool.run(run, cwd=folder).json()["mescd"], 3)


class Folder(unittest.TestCase):
    """Works in a folder of its own, without a compiler: one would need a minute for a thousand equations."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ivp(self, *args, code=0):
        result = tool.run([*args], cwd=self.folder, env={"IVP_TEXT_COMPILER": "none"})
        self.assertEqual(result.code, code, result)
        return result


class MadeInDouble(Folder):
    def kept(self, name):
        """Values and digits as the file has them: what is printed is rounded to the digits."""
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            rows = [line.split(",") for line in file if line[0].isdigit()]
        return [(float(value), float(digits)) for _, value, digits, _ in rows]

    def chain(self, length):
        """A -> B -> C ...: as a network of BioNetGen."""
        species = "".join(f"    {i} S{i}()  {100 if i == 1 else 0}\n" for i in range(1, length + 1))
        reactions = "".join(f"    {i} {i} {i + 1} k #_R{i}\n" for i in range(1, length))
        with open(os.path.join(self.folder, "chain.net"), "w", encoding="utf-8") as file:
            file.write(f"begin parameters\n    1 k  0.5  # Constant\nend parameters\nbegin species\n{species}end species\nbegin reactions\n{reactions}end reactions\n")

    def test_a_large_problem(self):
        self.chain(1001)
        r = self.ivp("reference", "chain.net", "--tend", "4", "--make", "--format", "json").json()
        self.assertTrue(r["evidence"].startswith("estimated, not proven: runs of gamd at rtol = 1e-11 and 1e-12 and of "), r["evidence"])
        self.assertIn("Made in double precision, because 'chain' has 1001 components, and quadruple precision is the default up to 1000", r["note"])
        # The first components of the chain are known: a Poisson distribution.
        for i, (value, digits) in enumerate(self.kept("chain.net,tend=4.reference.csv")[:6]):
            truth = 100 * math.exp(-2) * 2**i / math.factorial(i)
            self.assertLessEqual(abs(value - truth), 10**-digits * truth)
            self.assertGreaterEqual(digits, 7)
        run = self.ivp("run", "chain.net", "vode", "--tend", "4", "--rtol", "1e-6", "--atol", "1e-6", "--repeat", "1").out
        self.assertIn("digits compared with an estimated reference: gamd at rtol = 1e-12 in double precision", run)
        self.ivp("wp", "chain.net", "--solvers", "vode", "--tend", "4", "--rtol", "1e-4,1e-6", "--repeat", "1", "--out", "wp.json")
        with open(os.path.join(self.folder, "wp.json"), encoding="utf-8") as file:
            digits = [run["mescd"] for run in json.load(file)]
        self.assertEqual(len(digits), 2)
        self.assertGreater(min(digits), 2)

    def test_on_demand(self):
        made = self.ivp("reference", "hires", "--tend", "10", "--make", "--numbers", "double")
        self.assertIn("Made in double precision, because --numbers double asks for it. Digits are estimated.", " ".join(made.out.split()))
        self.assertIn("Derive it again: ivp reference hires --tend 10 --make --numbers double", made.out)
        in_double = self.kept("ivp-references/hires,tend=10.csv")
        in_quad = self.ivp("reference", "hires", "--tend", "10", "--make", "--numbers", "quad", "--format", "json").json()
        self.assertNotIn("estimated", in_quad["evidence"])
        for (value, digits), component in zip(in_double, in_quad["components"]):
            self.assertGreaterEqual(digits, 6)
            self.assertLessEqual(abs(value / float(component["value"]) - 1), 10**-digits)

    def test_its_digits_are_estimates_everywhere(self):
        self.ivp("reference", "hires", "--tend", "10", "--make", "--numbers", "double")
        run = self.ivp("run", "hires", "gamd", "--rtol", "1e-12", "--tend", "10", "--repeat", "1", "--format", "json").json()
        self.assertEqual(run["extra"]["reference_estimated"], 1)
        most = -math.log10(max(10**-digits * abs(value) for value, digits in self.kept("ivp-references/hires,tend=10.csv")))
        self.assertLessEqual(run["scd_abs"], most + 1e-9)
        files = {ending: "wp." + ending for ending in ("svg", "html", "gp", "tex", "csv", "json")}
        table = self.ivp("wp", "hires", "--solvers", "radau5,gamd", "--tend", "10", "--rtol", "1e-4,1e-12", "--repeat", "1",
                         *[word for name in files.values() for word in ("--out", name)]).out
        self.assertEqual(table.count("hires: digits compared with an estimated reference: gamd at rtol = 1e-12 in double precision"), 1)
        for ending, name in files.items():
            with self.subTest(ending=ending), open(os.path.join(self.folder, name), encoding="utf-8") as file:
                text = file.read()
                self.assertIn("estimated", text)
                self.assertNotIn("confirmed to", text)
        self.assertNotIn("estimated", self.ivp("wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--repeat", "1").out)

    def test_what_has_decayed_is_zero_and_not_noise(self):
        with open(os.path.join(self.folder, "fast.ivp"), "w", encoding="utf-8") as file:
            file.write("interval 0 .. 2\nstate x = 1\nstate z = 0.5\nx' = -x\nz' = -1e5*z\n")
        self.ivp("reference", "fast.ivp", "--make", "--numbers", "double")
        value, digits = self.kept("fast.ivp.reference.csv")[1]
        self.assertEqual(value, 0)
        self.assertGreater(digits, 10)
        run = self.ivp("run", "fast.ivp", "radau5", "--rtol", "1e-10", "--repeat", "1", "--format", "json").json()
        self.assertGreater(run["scd"], 8)

    def test_if_quadruple_precision_takes_too_long(self):
        setting = ["medakzo", "--set", "N=150", "--make", "--timeout", "0.5", "--format", "json"]
        r = self.ivp("reference", *setting).json()
        self.assertRegex(r["note"], "^Made in double precision, because the derivation in quadruple precision failed \\(Radau IIA .*: no time left at t = ")
        asked = self.ivp("reference", *setting, "--numbers", "quad", code=1)
        self.assertRegex(asked.err, "^ivp: no reference: Radau IIA .*: no time left")
        self.assertEqual(asked.out, "")

    def test_if_nothing_is_fast_enough(self):
        result = self.ivp("reference", "medakzo", "--set", "N=150", "--make", "--numbers", "double", "--timeout", "0.001", code=1)
        self.assertIn("no solvers of two families reached the end at two tolerances of 1e-07 or tighter", result.err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "ivp-references")))


class Path(unittest.TestCase):
    def test_is_kept_and_read(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = tool.run(["reference", "hires", "--keep-path"], cwd=folder)
            self.assertEqual((kept.code, kept.err), (0, ""), kept)
            result = tool.run(["reference", "hires", "--at", "5,100", "--format", "json"], cwd=folder)
            self.assertEqual((result.code, result.err), (0, ""), result)
            derived = reference("hires", "--at", "5,100", "--format", "json").json()
            r = result.json()
            self.assertIn("hires.path", r["source"])
            told = tool.run(["reference", "hires", "--at", "100,5"], cwd=folder).out
            self.assertLess(told.index("at t = 5\n"), told.index("at t = 100\n"), "in the order of time")
            for a, b in zip(r["components"], derived["components"]):
                self.assertGreaterEqual(a["digits"], 15)
                self.assertEqual(a["value"][:14], b["value"][:14])


class Files(Folder):
    """What is kept belongs to the problem as it was, and takes nobody's place."""

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def decay(self, rate):
        self.put("decay.ivp", f"interval 0 .. 1\nstate x = 1\nx' = -{rate}*x\n")

    def test_a_changed_problem_does_not_take_the_reference_of_the_old_one(self):
        run = ["run", "./decay.ivp", "radau5", "--rtol", "1e-8", "--repeat", "1", "--format", "json"]
        self.decay(1)
        self.ivp("reference", "./decay.ivp", "--make")
        self.assertGreater(self.ivp(*run).json()["scd"], 7)
        self.decay(2)
        for refused in (run, ["reference", "./decay.ivp"], ["wp", "./decay.ivp", "--solvers", "radau5", "--rtol", "1e-4"]):
            result = self.ivp(*refused, code=2)
            self.assertEqual(result.out, "")
            self.assertIn("'./decay.ivp.reference.csv' was made before './decay.ivp' changed; 'ivp reference … --make' makes it again", result.err)
        self.ivp("reference", "./decay.ivp", "--make")
        self.assertGreater(self.ivp(*run).json()["scd"], 7)

    def test_runs_that_were_stored_before_it_get_their_digits(self):
        self.decay(1)
        self.put("plan.toml", "problems = './decay.ivp'\nsolvers = ['radau5', 'vode']\nrtol = [1e-4, 1e-6]\nrepeat = 1\n")
        self.ivp("campaign", "plan.toml", "--db", "a.db")
        digits = ["query", "SELECT scd > 2 AS good, repeats, measured_at FROM runs ORDER BY solver, rtol", "--db", "a.db", "--format", "json"]
        before = self.ivp(*digits).json()
        self.assertEqual([row["good"] for row in before], [None] * 4)
        self.ivp("reference", "./decay.ivp", "--make")
        again = self.ivp("campaign", "plan.toml", "--db", "a.db").out
        self.assertIn("0 runs made, 4 stored before", again)
        self.assertIn("4 stored runs had no digits, and there is a reference now: their digits are stored", again)
        after = self.ivp(*digits).json()
        self.assertEqual(after, [{**row, "good": 1} for row in before])
        self.assertNotIn("had no digits", self.ivp("campaign", "plan.toml", "--db", "a.db").out)

    def test_a_changed_problem_does_not_take_the_path_of_the_old_one(self):
        at = ["reference", "./decay.ivp", "--at", "0.5", "--format", "json"]
        self.decay(1)
        self.ivp("reference", "./decay.ivp", "--keep-path")
        self.assertIn("decay.path", self.ivp(*at).json()["source"])
        self.decay(2)
        changed = self.ivp(*at).json()
        self.assertNotIn("decay.path", changed["source"])
        self.assertAlmostEqual(float(changed["components"][0]["value"]), math.exp(-1), 14)

    def test_nothing_of_somebody_else_is_replaced(self):
        self.decay(1)
        os.mkdir(os.path.join(self.folder, "ivp-references"))
        notes = "my own notes\nwithout an end"
        for name in ("notes.txt", "decay.ivp.reference.csv", "ivp-references/hires.path"):
            self.put(name, notes)
        for args in (["all", "--recompute", "--out", "notes.txt"], ["all", "--recompute", "--resume", "--out", "notes.txt"], ["hires", "--recompute", "--out", "notes.txt"],
                     ["./decay.ivp", "--make"], ["hires", "--keep-path"]):
            with self.subTest(args):
                result = self.ivp("reference", *args, code=2)
                self.assertEqual(result.out, "", "nothing is derived that cannot be kept")
                self.assertIn("was not written by ivp", result.err)
        for name in ("notes.txt", "decay.ivp.reference.csv", "ivp-references/hires.path"):
            self.assertEqual(self.text(name), notes)
        self.ivp("reference", "./decay.ivp", "--make", "--force")
        self.assertTrue(self.text("decay.ivp.reference.csv").startswith("# t: 1\n"))

    def test_what_cannot_be_written_is_told_before_the_derivation(self):
        self.put("ivp-references", "a file where the folder should be")
        for args in (["hires", "--tend", "10", "--make"], ["hires", "--keep-path"], ["hires", "--recompute", "--out", "missing/x.csv"]):
            result = self.ivp("reference", *args, code=2)
            self.assertEqual(result.out, "")
            self.assertRegex(result.err, "^ivp: --(make|keep-path|out): cannot write '")

    def test_a_log_with_a_foreign_line_is_told(self):
        self.put("log.jsonl", '{"problem":"hires"}\n')
        result = self.ivp("reference", "all", "--recompute", "--resume", "--out", "log.jsonl", code=2)
        self.assertIn("'log.jsonl', line 1: not a line of the log of 'ivp reference all'", result.err)
        mine = '{"problem":"which shoes to take", "answer":"the brown ones"}'  # one line without an end, as an interruption leaves it
        self.put("log.jsonl", mine)
        result = self.ivp("reference", "all", "--recompute", "--resume", "--out", "log.jsonl", code=2)
        self.assertIn("'log.jsonl': its last line was not begun by 'ivp reference all'", result.err)
        with open(os.path.join(self.folder, "log.jsonl"), encoding="utf-8") as f:
            self.assertEqual(f.read(), mine)


class WrongUse(unittest.TestCase):
    def test_is_told_in_words(self):
        for args, words in (
            (["nosuch"], "unknown problem 'nosuch'"),
            (["hires", "--at", "400"], "--at: 400 given; allowed for hires: times after 0, up to 321.8122"),
            (["hires", "--at", "x"], "--at: 'x' given"),
            (["hires", "--digits", "40"], "--digits: 40 given; allowed: a number from 1 to 30"),
            (["hires", "--recipe", "radau:13:1e-9,1e-10", "--recompute"], "two families"),
            (["hires", "--resume"], "--resume: allowed with"),
            (["hires", "--make"], "--make: 'hires' has a reference for these parameters"),
            (["hires", "--make", "--tend", "-1"], "--tend: -1 given; allowed for hires: a time after 0"),
            (["hires", "--keep-path", "--recompute"], "--keep-path: not together with"),
            (["hires", "--recipe", "taylor:5:1e-9,1e-10 gbs:8:1e-9,1e-10", "--recompute"], "5 orders given for taylor; allowed: whole numbers from 10 to 60"),
            (["hires", "--tend", "10", "--numbers", "double"], "--numbers: allowed with --make only"),
            (["hires", "--tend", "10", "--make", "--numbers", "half"], "--numbers: 'half' given; allowed: quad, double"),
            (["hires", "--tend", "10", "--make", "--numbers", "double", "--digits", "9"], "--numbers double: not together with --recipe or --digits"),
            ([plugin("brusselator"), "--make", "--numbers", "quad"], "cannot be evaluated in quadruple precision"),
            (["pump", "--recompute"], "--recompute: the reference of 'pump' has no recipe"),
            (["all"], "'all': allowed with --recompute only"),
            (["hires", "--set", "k1=1.7"], "has no reference with these settings"),
            (["hires", "--tend", "400"], "'hires' has no reference with these settings; --make derives one"),
            (["hires", "--tend", "400", "--digits", "9"], "--tend: allowed with --make, or alone"),
            (["hires", "--set", "k1=1.7", "--recompute"], "'hires' has no reference with these settings; --make derives one"),
        ):
            result = reference(*args)
            self.assertEqual((result.code, result.out), (2, ""), args)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
