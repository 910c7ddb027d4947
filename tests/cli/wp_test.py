"""`ivp wp` as a user meets it: the table, the CSV file, failed runs, ratios, wrong use."""

import csv
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import tool  # noqa: E402

ROSENBROCK = tool.example("rosenbrock")
BOTH = f"radau5,{ROSENBROCK}"
COUNTS = ["steps", "accepted", "nfev", "nfev_jac", "njac", "nlu", "nsolve"]


class WorkPrecision(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "hires.csv")

    def rows(self):
        with open(self.path, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def measured(self, *args):
        result = tool.run(["wp", *args, "--repeat", "1"])
        self.assertEqual((result.code, result.err), (0, ""), result)
        return result.out

    def test_one_row_for_each_problem_tolerance_and_solver(self):
        out = self.measured("hires,vdpol", "--solvers", BOTH, "--rtol", "1e-4,1e-6", "--out", self.path)
        self.assertEqual(
            [(r["problem"], r["rtol"], r["solver"]) for r in self.rows()],
            [(p, t, s) for p in ("hires", "vdpol") for t in ("0.0001", "1e-06") for s in ("radau5", "rosenbrock")])
        table = re.findall(r"(?m)^ *(\de-\d\d) (radau5|rosenbrock \(plug-in\)) +(\S+) +(\S+) +(\d+) +(\d+) +(\d+) +(\d+) +(\S+) +(\S+)$", out)
        self.assertEqual(len(table), 8, out)
        for line, row in zip(table, self.rows()):
            self.assertEqual(float(line[0]), float(row["rtol"]))
            self.assertEqual(line[1], row["solver"] + (" (plug-in)" if row["solver_origin"] == "plug-in" else ""))
            self.assertEqual(line[2:4], (f"{float(row['scd']):.2f}", f"{float(row['mescd']):.2f}"))
            evaluations = str(int(row["nfev"]) + int(row["nfev_jac"]))
            self.assertEqual(list(line[4:8]), [row["steps"], evaluations, row["njac"], row["nlu"]])
            self.assertEqual(line[8], f"{float(row['cpu_s']):.2e}?", "one sample is marked")
        for first, second in zip(table[::2], table[1::2]):
            self.assertEqual(first[9], "1.00")
            self.assertAlmostEqual(float(second[9]), float(second[8].rstrip("?")) / float(first[8].rstrip("?")), delta=0.02 * float(second[9]) + 0.006)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)
        self.assertEqual(os.listdir(self.folder), ["hires.csv"])

    def test_own_solvers_behind_the_boundary_of_plug_ins(self):
        self.measured("hires", "--solvers", BOTH, "--rtol", "1e-4", "--algebra", "dense", "--out", self.path)
        own, plug_in = self.rows()
        self.measured("hires", "--solvers", BOTH, "--rtol", "1e-4", "--algebra", "dense", "--boundary", "plug-in", "--out", self.path)
        guest, other = self.rows()
        self.assertEqual((own["solver_origin"], guest["solver_origin"]), ("own", "plug-in boundary"))
        self.assertEqual((plug_in["solver_origin"], other["solver_origin"]), ("plug-in", "plug-in"))
        for key in ("solver", *(f"y_{i}" for i in range(1, 9)), "mescd", *COUNTS):
            self.assertEqual(own[key], guest[key], key)
            self.assertEqual(plug_in[key], other[key], key)
        self.assertIn("--boundary plug-in", guest["command"])
        repeated = tool.run([*shlex.split(guest["command"])[1:], "--format", "json"])
        self.assertEqual(json.loads(repeated.out)["solver_origin"], "plug-in boundary", repeated)
        wrong = tool.run(["wp", "hires", "--boundary", "outer"])
        self.assertEqual((wrong.code, wrong.out), (2, ""))
        self.assertIn("--boundary: 'outer' given; allowed: own, plug-in", wrong.err)

    def test_one_library_built_twice_has_two_labels(self):
        second = os.path.join(self.folder, "second.so")
        shutil.copy(ROSENBROCK, second)
        self.measured("vdpol", "--solvers", f"first={ROSENBROCK},other={second}", "--rtol", "1e-4", "--out", self.path)
        self.assertEqual([r["solver"] for r in self.rows()], ["first", "other"])
        self.assertIn(f"other={second}", self.rows()[1]["command"])
        twice = tool.run(["wp", "vdpol", "--solvers", f"{ROSENBROCK},{second}", "--rtol", "1e-4"])
        self.assertEqual(twice.code, 2)
        self.assertIn("label=", twice.err)
        unnamed = tool.run(["wp", "vdpol", "--solvers", f"O3={second}", "--rtol", "1e-4"])
        self.assertEqual(unnamed.code, 2)
        self.assertIn("the label 'O3' given; allowed: letters a-z", unnamed.err)

    def test_the_rows_are_the_records_of_single_runs(self):
        self.measured("caraxis", "--solvers", "radau5", "--rtol", "1e-5", "--jacobian", "differences", "--out", self.path)
        (row,) = self.rows()
        single = tool.record(["caraxis", "radau5", "--rtol", "1e-5", "--jacobian", "differences"])
        self.assertEqual([int(row[k]) for k in COUNTS], [single[k] for k in COUNTS])
        self.assertEqual([float(row[f"y_{i}"]) for i in range(1, 11)], single["y"])
        self.assertEqual(row["jacobian"], "differences")
        self.assertEqual(set(row) - {f"y_{i}" for i in range(1, 11)}, set(single) - {"y", "cpu_samples", "wall_samples"})
        self.assertEqual(os.listdir(self.folder), ["hires.csv"])

    def test_every_cell_has_one_number_and_long_vectors_a_file_of_their_own(self):
        self.measured("pump,vdpol,andrews", "--solvers", "radau5", "--rtol", "1e-3,1e-4", "--out", self.path)
        rows = self.rows()
        for row in rows:
            self.assertNotIn("[", "".join(row.values()))
        self.assertEqual([(float(r["rtol_asked"]), float(r["rtol"])) for r in rows[:2]], [(1e-3, 1e-3), (1e-4, 1e-4)])
        self.assertEqual([r["atol"] for r in rows[:2]], ["", ""], "it differs by component")
        self.assertEqual([r["y_1"] for r in rows[4:]], ["", ""], "27 components")
        self.assertEqual(sorted(os.listdir(self.folder)), ["hires.components.csv", "hires.csv"])
        with open(os.path.join(self.folder, "hires.components.csv"), newline="", encoding="utf-8") as f:
            lines = list(csv.DictReader(f))
        self.assertEqual([len([x for x in lines if x["row"] == str(k)]) for k in range(1, 7)], [9, 9, 0, 0, 27, 27])
        single = tool.run(["run", "pump", "radau5", "--rtol", "1e-4", "--repeat", "1", "--format", "json"]).json()
        second = [x for x in lines if x["row"] == "2"]
        self.assertEqual([float(x["atol"]) for x in second], single["atol"])
        self.assertEqual([float(x["y"]) for x in second], single["y"])

    def test_the_command_of_a_row_repeats_its_run(self):
        self.measured("medakzo", "--solvers", "radau5", "--rtol", "1e-4", "--set", "N=20", "--algebra", "dense", "--opt", "nit=6", "--out", self.path)
        (row,) = self.rows()
        again = tool.run([*shlex.split(row["command"])[1:], "--format", "json"])
        self.assertEqual(again.code, 0, again)
        record = again.json()
        self.assertEqual([int(row[k]) for k in COUNTS], [record[k] for k in COUNTS])
        self.assertEqual((record["parameters"], record["algebra"], record["options"]), ({"N": "20"}, "dense", {"nit": 6}))

    def test_tolerances_as_a_ladder(self):
        self.measured("vdpol", "--solvers", "radau5", "--rtol", "1e-4:1e-6:2", "--out", self.path)
        got = [float(r["rtol"]) for r in self.rows()]
        self.assertEqual(len(got), 5)
        for value, wanted in zip(got, [4, 4.5, 5, 5.5, 6]):
            self.assertAlmostEqual(value / 10**-wanted, 1, places=12)

    def test_every_ladder_has_the_decimals_that_a_person_writes(self):
        for args in (("--rtol", "1e-4:1e-11:1"), ("--rtol", "1e-1:1e-8:2"), ()):
            self.measured("vdpol", "--solvers", "radau5", *args, "--out", self.path)
            got = [r["rtol"] for r in self.rows()]
            self.assertIn("1e-07", got)
            for text in got:
                self.assertLessEqual(len(text.split("e")[0].replace(".", "").lstrip("0")), 15, "as many digits as a double has")
            for row in self.rows():
                self.assertEqual(float(re.search(r"--rtol (\S+)", row["command"])[1]), float(row["rtol"]), "to the last bit")

    def test_pairs_that_cannot_be_are_left_out_by_name(self):
        out = self.measured("hires,caraxis", "--solvers", "radau5,vode,odeint-rosenbrock4", "--rtol", "1e-4", "--jacobian", "differences", "--out", self.path)
        self.assertEqual([(r["problem"], r["solver"]) for r in self.rows()], [("hires", "radau5"), ("hires", "vode"), ("caraxis", "radau5")])
        self.assertIn("not run: odeint-rosenbrock4 cannot take hires with difference quotients: it needs the exact Jacobian", out)
        self.assertIn("not run: vode cannot take caraxis", out)
        self.assertIn("not run: odeint-rosenbrock4 cannot take caraxis", out)
        # A problem that nobody can take, beside one that somebody can.
        out = self.measured("caraxis,hires", "--solvers", "vode", "--rtol", "1e-4", "--out", self.path)
        self.assertEqual([r["problem"] for r in self.rows()], ["hires"])
        self.assertIn("not run: vode cannot take caraxis", out)
        # A setting that only one of the solvers knows.
        out = self.measured("hires", "--solvers", "dop853,radau5", "--rtol", "1e-4", "--algebra", "dense", "--out", self.path)
        self.assertEqual([r["solver"] for r in self.rows()], ["radau5"])
        self.assertRegex(out, r"(?m)^ *1e-04 radau5 .* 1\.00$", "compared with itself, since the first one is left out")
        self.assertIn("not run: algebra: 'dense' given; dop853 is explicit", out)

    def test_without_tolerances_the_problem_decides(self):
        self.measured("vdpol", "--solvers", "radau5", "--out", self.path)
        got = [float(r["rtol"]) for r in self.rows()]
        self.assertGreater(len(got), 10)
        self.assertEqual(got, sorted(got, reverse=True))

    def test_a_failed_run_is_a_row_with_its_reason(self):
        out = self.measured("hires", "--solvers", BOTH, "--rtol", "1e-4,1e-6", "--max-steps", "50", "--out", self.path)
        outcomes = [r["outcome"] for r in self.rows()]
        self.assertEqual(outcomes, ["success", "success", "too_many_steps", "too_many_steps"])
        self.assertTrue(all(r["message"] for r in self.rows()[2:]))
        self.assertEqual(len(re.findall(r"(?m)^ *1e-06 .* too_many_steps$", out)), 2)
        self.assertRegex(out, r"(?m)^   radau5 at 1e-06: too_many_steps: \S")

    def test_a_plug_in_as_the_first_solver_is_the_unit_of_the_ratios(self):
        out = self.measured("hires", "--solvers", ",".join(reversed(BOTH.split(","))), "--rtol", "1e-4")
        self.assertRegex(out, r"(?m)rosenbrock \(plug-in\) .* 1\.00$")
        self.assertRegex(out, r"(?m) radau5 .* \d+\.\d\d$")

    def test_ratio_to_another_solver(self):
        for name in ("rosenbrock", "rosenbrock (plug-in)", ROSENBROCK):
            out = self.measured("hires", "--solvers", BOTH, "--rtol", "1e-4", "--ratio-to", name)
            self.assertRegex(out, r"(?m)^ *1e-04 rosenbrock \(plug-in\) .* 1\.00$")
            self.assertRegex(out, r"(?m)^radau5 / rosenbrock \(plug-in\): no mean ratio of the CPU time, because no counts are equal")

    def test_an_option_goes_to_the_solvers_that_have_it(self):
        self.measured("hires", "--solvers", BOTH, "--rtol", "1e-4", "--opt", "autonomous=1", "--out", self.path)
        self.assertEqual([json.loads(r["options"]) for r in self.rows()], [{}, {"autonomous": 1}])

    def test_form(self):
        self.measured("nand", "--solvers", "radau5", "--rtol", "1e-4", "--form", "dae", "--out", self.path)
        self.assertEqual(self.rows()[0]["form"], "dae")


class Drawing(unittest.TestCase):
    """The files of one measurement show the same runs."""

    ENDINGS = ("svg", "html", "gp", "tex", "csv", "json")

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        outs = [word for ending in cls.ENDINGS for word in ("--out", os.path.join(cls.folder, "x." + ending))]
        cls.result = tool.run(["wp", "hires", "--solvers", "radau5,rodas,dopri5", "--rtol", "1e-4:1e-6:1", "--max-steps", "500", "--repeat", "1", *outs])
        cls.text = {}
        for ending in cls.ENDINGS:
            with open(os.path.join(cls.folder, "x." + ending), encoding="utf-8") as f:
                cls.text[ending] = f.read()
        cls.records = json.loads(cls.text["json"])

    def test_every_file_is_written(self):
        self.assertEqual((self.result.code, self.result.err), (0, ""))
        self.assertEqual(len(self.records), 9)
        self.assertEqual([r["command"] for r in csv.DictReader(self.text["csv"].splitlines())], [r["command"] for r in self.records])

    def test_svg_has_every_run_and_is_xml(self):
        root = xml.etree.ElementTree.fromstring(self.text["svg"])
        marks = [u for u in root.iter("{http://www.w3.org/2000/svg}use") if u.get("data-r")]
        self.assertEqual(sorted(int(u.get("data-r")) for u in marks), list(range(9)))
        failed = [u for u in marks if u.get("class") == "fail"]
        self.assertEqual(len(failed), sum(r["outcome"] != "success" for r in self.records))
        self.assertEqual(len(failed), 3)
        # The lines break where the name of the processor lets them.
        caption = " ".join(t.text for t in root.iter("{http://www.w3.org/2000/svg}text") if t.get("class") == "caption")
        self.assertIn("do not rank the solvers", caption)

    def test_sources_have_the_numbers(self):
        for r in self.records:
            if r["outcome"] == "success":
                self.assertIn(f"{r['mescd']:.6g} {r['cpu_s']:.6g} ", self.text["gp"])
                self.assertIn(f"({r['mescd']:.6g}, {r['cpu_s']:.6g})", self.text["tex"])
            else:
                self.assertIn(r["outcome"], self.text["gp"])
                self.assertIn(r["outcome"], self.text["tex"])

    @unittest.skipUnless(shutil.which("gnuplot"), "unavailable: gnuplot")
    def test_gnuplot_draws_its_source(self):
        os.remove(os.path.join(self.folder, "x.svg"))
        subprocess.run(["gnuplot", "x.gp"], cwd=self.folder, check=True, capture_output=True)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "x.svg")))

    def test_the_page_loads_nothing(self):
        self.assertNotRegex(self.text["html"], r"src=|<link|@import|https?://(?!www\.w3\.org)")

    def test_along_the_path(self):
        path = os.path.join(self.folder, "path.json")
        result = tool.run(["wp", "hires", "--solvers", "radau5,bimd", "--rtol", "1e-4,1e-7", "--repeat", "1", "--precision", "path", "--out", path])
        self.assertEqual(result.code, 0, result)
        with open(path, encoding="utf-8") as f:
            for r in json.load(f):
                along, limit = r["extra"]["mescd_path"], r["extra"]["mescd_path_limit"]
                self.assertGreater(limit, 8)
                self.assertLess(along, min(r["mescd"], limit) + 0.05)  # the end is a point of the path
                self.assertGreater(along, 1)
                mean, mean_limit = r["extra"]["mescd_rms"], r["extra"]["mescd_rms_limit"]
                self.assertGreater(mean, along)  # a mean of squares is below their largest,
                self.assertLess(mean, along + math.log10(800) / 2 + 1e-9)  # and 800 errors are not all nothing but one
                self.assertGreater(mean_limit, limit)

    def test_the_diagram_of_the_root_mean_square(self):
        path = os.path.join(self.folder, "rms.svg")
        result = tool.run(["wp", "vdpol", "--solvers", "rodas", "--rtol", "1e-4,1e-6", "--repeat", "1", "--precision", "rms", "--out", path])
        self.assertEqual(result.code, 0, result)
        with open(path, encoding="utf-8") as f:
            self.assertIn("correct digits, root mean square along the path", f.read())
        refused = tool.run(["wp", "vdpol", "--solvers", "rodas", "--precision", "mean"])
        self.assertEqual(refused.code, 2)
        self.assertIn("mescd, scd, path, rms", refused.err)

    def test_without_solvers_all_that_take_the_problem(self):
        path = os.path.join(self.folder, "all.json")
        result = tool.run(["wp", "chemakzo_dae", "--rtol", "1e-4", "--repeat", "1", "--out", path])
        self.assertEqual(result.code, 0, result)
        with open(path, encoding="utf-8") as f:
            records = json.load(f)
        self.assertLessEqual({"radau5", "rodas", "bimd"}, {r["solver"] for r in records})
        self.assertIn("not run: vode cannot take chemakzo_dae", result.out)
        threads = [r["threads"] for r in records if r["solver"] == "pside"]
        self.assertEqual(threads, list(range(1, 1 + min(4, os.cpu_count()))))
        if len(threads) > 1:
            self.assertIn("Speed-up of pside on chemakzo_dae", result.out)


class Repetition(unittest.TestCase):
    def test_min_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.json")
            result = tool.run(["wp", "vdpol", "--solvers", BOTH, "--rtol", "1e-4", "--min-time", "0.02", "--out", path])
            self.assertEqual(result.code, 0, result)
            with open(path, encoding="utf-8") as f:
                for row in json.load(f):
                    samples = row["cpu_samples"]
                    self.assertEqual(len(samples), row["repeats"])
                    self.assertTrue(sum(samples) >= 0.02 or len(samples) == 1000)
                    self.assertIn(row["cpu_s"], samples)  # not always the least: disturbed samples do not count


class Size(unittest.TestCase):
    """The work of a step of medakzo grows like the number of equations: the counts for each step stay as they are."""

    def test_counts_of_a_step_do_not_grow(self):
        small, large = (tool.record(["medakzo", "radau5", "--rtol", "1e-4", "--jacobian", "differences", "--set", f"N={n}"]) for n in (50, 800))
        for record in (small, large):
            self.assertEqual(record["algebra"], "band")
            self.assertEqual(record["nfev_jac"], 5 * record["njac"])  # diagonals of the band, at any size
        for count in ("nfev", "njac", "nlu", "nsolve"):
            self.assertAlmostEqual(large[count] / large["steps"], small[count] / small["steps"], delta=0.15 * small[count] / small["steps"])


class ComparisonTable(unittest.TestCase):
    """tools/comparison-table on what `ivp wp` wrote."""

    SCRIPT = os.path.join(tool.setting("IVP_SOURCE"), "tools", "comparison-table")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "x.csv")

    def table(self, *args):
        return subprocess.run([sys.executable, self.SCRIPT, *args], capture_output=True, text=True, check=False)

    def measure(self, *args):
        result = tool.run(["wp", *args, "--repeat", "1", "--out", self.path])
        self.assertEqual(result.code, 0, result)
        with open(self.path, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def rewrite(self, rows):
        with open(self.path, "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    def test_summary_of_a_file(self):
        rows = self.measure("hires,vdpol", "--solvers", "radau5", "--rtol", "1e-4,1e-6")
        twins = []
        for row, factor in zip(rows, (2, 8, 4, 5)):
            twins += [row, {**row, "solver": "twin", "cpu_s": str(factor * float(row["cpu_s"]))}]
        self.rewrite(twins)
        result = self.table("--summary", self.path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("| solver | runs | 1e-04 | 1e-06 | best | worst |", result.stdout)
        self.assertIn("| radau5 | 4 | 0.35 | 0.16 | hires 1e-06: 0.12 | hires 1e-04: 0.50 |", result.stdout)

    def test_ratios_and_mean(self):
        rows = self.measure("hires,vdpol", "--solvers", "radau5", "--rtol", "1e-4,1e-6")
        twins = []
        for row, factor in zip(rows, (2, 8, 4, 5)):  # the third does other work
            twins += [row, {**row, "solver": "twin", "cpu_s": str(factor * float(row["cpu_s"]))}]
        twins[5]["steps"] = str(2 * int(twins[5]["steps"]))
        twins[6]["outcome"] = twins[7]["outcome"] = "step_too_small"
        self.rewrite(twins)
        result = self.table(self.path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("| problem | n | algebra | 1e-04 | 1e-06 | counts differ by |", result.stdout)
        self.assertIn("| hires | 8 | dense | 2.00 | 8.00 | 0 |", result.stdout)
        self.assertIn("| vdpol | 2 | dense | 4.00\\* | step_too_small | 50.0 % |", result.stdout)
        self.assertIn("over 2 runs: **4.00**; smallest 2.00, largest 8.00", result.stdout)
        self.assertIn("| hires | 8 | dense | 0.50 | 0.12 | 0 |", self.table("--reference", "twin", self.path).stdout)

    def test_scaling(self):
        row = self.measure("medakzo", "--solvers", "radau5", "--rtol", "1e-4", "--set", "N=20")[0]
        per_step = float(row["cpu_s"]) / int(row["steps"])
        self.rewrite([row, {**row, "dimension": "400", "cpu_s": str(100 * per_step * int(row["steps"]))}])
        lines = self.table("--scaling", self.path).stdout.splitlines()
        self.assertRegex(lines[2], r"^\| radau5 \| 1e-04 \| 40 \| \d+ \| \S+ \|  \|$")
        self.assertRegex(lines[3], r"\| 400 \|.*\| 2\.000 \|$")

    def test_faults(self):
        self.measure("hires", "--solvers", "radau5", "--rtol", "1e-4")
        for args, word in (([self.path, "--reference", "me"], "radau5"), (["nosuch.csv"], "nosuch.csv"), ([self.SCRIPT], "not a CSV file")):
            result = self.table(*args)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stdout, "")
            self.assertIn(word, result.stderr)
            self.assertNotIn("Traceback", result.stderr)


class Names(tool.Folder):
    """Commas separate names, and may be in the names of files."""

    def problems(self, names):
        result = tool.run(["wp", names, "--solvers", "rodas", "--rtol", "1e-4"], cwd=self.folder)
        self.assertEqual(result.code, 0, result)
        return re.findall(r"(?m)^(\S+) .*equation", result.out)

    def test_a_comma_in_the_name_of_a_file(self):
        os.makedirs(self.path("a,b/c,d"))
        for name in ("a,b/c,d/x,y.ivp", "z.ivp"):
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write("interval 0 .. 1\nstate x = 1\nx' = -x\n")
        self.assertEqual(self.problems("rober,./a,b/c,d/x,y.ivp,z.ivp,vdpol"), ["rober", "x_y", "z", "vdpol"])

    def test_many_commas_are_read_soon(self):
        names = ",".join(["a.f"] * 30000)  # each could be the beginning of the name of a file
        result = tool.run(["wp", names, "--solvers", "rodas", "--rtol", "1e-4"], cwd=self.folder)
        self.assertEqual(result.code, 2, result)


class WrongUse(unittest.TestCase):
    GOOD = ["wp", "hires", "--solvers", "radau5", "--rtol", "1e-4"]

    def refused(self, args, *messages):
        """Each message: words that one line of the output must have; there are as many lines as messages."""
        with self.subTest(" ".join(args)), tempfile.TemporaryDirectory() as folder:
            result = tool.run(args, cwd=folder)
            self.assertEqual((result.code, result.out), (2, ""), result)
            self.assertEqual(len(result.faults()), len(messages), result)
            for line, words in zip(result.faults(), messages):
                for word in words:
                    self.assertIn(word, line)
            self.assertEqual(os.listdir(folder), [])

    def test_one_fault(self):
        self.refused(["wp"], ["missing: a problem"])
        self.refused([*self.GOOD, "--work", "sweat"], ["--work", "sweat", "cpu, wall, f, lu"])
        self.refused([*self.GOOD, "--precision", "luck"], ["--precision", "luck", "mescd, scd, path"])
        self.refused(["wp", "hires,vdpol", "--solvers", "radau5", "--rtol", "1e-4", "--out", "x.svg"], ["--out", "x.svg", "one problem"])
        self.refused([*self.GOOD, "--out", "x.csv", "--out", "x.csv"], ["--out", "x.csv", "twice"])
        self.refused(["wp", "hires", "--solvers", ROSENBROCK, "--rtol", "1e-4", "--precision", "path"], ["--precision", "path", "plug-ins"])
        self.refused(["wp", "tba", "--solvers", "dassl", "--rtol", "1e-2", "--precision", "path"], ["--precision", "path", "tba"])
        self.refused(["wp", "hirs", "--solvers", "radau5"], ["hirs", "did you mean 'hires'"])
        self.refused(["wp", "hires,", "--solvers", "radau5"], ["''"])
        self.refused(["wp", "hires", "--solvers", "radua5"], ["radua5", "did you mean 'radau5'"])
        self.refused(["wp", "hires", "--solvers", "radau5,radau5"], ["radau5", "each solver once"])
        self.refused([*self.GOOD, "--ratio-to", "dassl"], ["--ratio-to", "dassl", "radau5"])
        self.refused([*self.GOOD, "--out", "x.txt"], ["--out", "x.txt", ".csv"])
        self.refused([*self.GOOD, "--out", "no/such/x.csv"], ["--out", "no/such/x.csv"])
        self.refused([*self.GOOD, "--repeat", "2", "--min-time", "1"], ["repeat", "min-time"])
        self.refused([*self.GOOD, "--min-time", "0"], ["min-time", "0"])
        self.refused([*self.GOOD, "--opt", "nosuch=1"], ["nosuch"])
        self.refused(["wp", "caraxis", "--solvers", ROSENBROCK, "--rtol", "1e-4"], ["rosenbrock cannot take caraxis"])

    def test_tolerances(self):
        for text in ("abc", "", "1e-4,,1e-6", "1e-4:1e-6", "1e-4:1e-6:0", "1e-4:1e-6:1.5", "1e-6:1e-4:1", "1e-4:0:1", "1e-4:1e-6:1:1", "a:b:c", "2:1e-3:1"):
            self.refused(["wp", "hires", "--solvers", "radau5", "--rtol", text], ["--rtol", f"'{'' if ',' in text else text}'"])
        self.refused(["wp", "hires", "--solvers", "radau5", "--rtol", "-1e-4"], ["rtol", "not negative"])

    def test_all_faults_at_once_and_each_once(self):
        self.refused(
            ["wp", "hires,vdpol,xyzzy,nand", "--solvers", "radau5,nosuch", "--rtol", "1e-4,1e-6", "--threads", "3", "--jacobian", "none", "--out", "x"],
            ["nosuch"], ["--jacobian", "none"], ["--out", "'x'"], ["xyzzy"], ["threads: 3", "radau5"], ["radau5 cannot take nand"])


if __name__ == "__main__":
    unittest.main()
