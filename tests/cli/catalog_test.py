"""`ivp list`, `show`, `check`, `demo`, `--help`, `--version` as a user meets them."""

import csv
import functools
import html.parser
import io
import json
import os
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

PROBLEMS = tool.catalog("problems")
SOLVERS = [name.replace("_", "-") for name in tool.catalog("solvers")]  # of our own; those of libraries follow them
LONGEST_LINE = 90
FAMILIES = ("Test set", "DETEST, non-stiff", "DETEST, stiff", "Problems with a size")

SETTINGS = tool.settings()
RUN_OPTIONS = [*SETTINGS, "--set", "--y0", "--form", "--opt", "--boundary"]
OPTIONS = {
    "demo": ["--dir"],
    "list": ["--form", "--index", "--tag", "--sort", "--format"],
    "show": ["--format"],
    "check": ["--set", "--contribution", "--format"],
    "run": ["--rtol", "--atol", *RUN_OPTIONS, "--formulation", "--trajectory", "--at", "--components", "--plot", "--out", "--listing", "--db", "--force", "--format"],
    "wp": ["--solvers", "--rtol", "--ratio-to", "--out", "--force", "--work", "--precision", *RUN_OPTIONS, "--formulation", "--formulations", "--db"],
    "scale": ["--solvers", "--rtol", "--out", "--work", "--db", "--force", *RUN_OPTIONS, "--formulation"],
    "choose": ["--digits", "--budget", "--solvers", "--floor", *(name for name, about in SETTINGS.items() if about["choose"]), "--set", "--y0", "--form", "--formulation",
               "--db", "--format"],
    "report": ["--db", "--out", "--latex", "--force", "--plug-in"],
}


@functools.lru_cache(maxsize=None)
def shown(name, format="text"):
    """What `ivp show` prints of a problem or solver; the tests of this file look at the same pages."""
    return tool.run(["show", name, "--format", format])


def listed(*args):
    """The ids that `ivp list` prints as JSON."""
    result = tool.run(["list", *args, "--format", "json"])
    if result.code != 0:
        raise AssertionError(str(result))
    return [item["id"] for item in result.json()]


class List(unittest.TestCase):
    def test_the_catalog_is_not_empty(self):
        self.assertIn("hires", PROBLEMS)
        self.assertIn("radau5", SOLVERS)

    def test_json(self):
        self.assertEqual(listed("problems"), PROBLEMS)
        self.assertEqual(listed("solvers")[:len(SOLVERS)], SOLVERS)
        hires = tool.run(["list", "problems", "--format", "json"]).json()[PROBLEMS.index("hires")]
        self.assertEqual((hires["form"], hires["dimension"], hires["t0"], hires["tend"]), ("ode", 8, 0, 321.8122))

    def test_csv_has_the_columns_of_json(self):
        for kind in ("problems", "solvers"):
            rows = list(csv.DictReader(io.StringIO(tool.run(["list", kind, "--format", "csv"]).out)))
            objects = tool.run(["list", kind, "--format", "json"]).json()
            self.assertEqual([row["id"] for row in rows], [o["id"] for o in objects])
            for row, o in zip(rows, objects):
                self.assertEqual(list(row), list(o))
                self.assertNotIn(None, row, "more cells than columns")

    def test_text_has_one_line_for_each(self):
        for kind, names in (("problems", PROBLEMS), ("solvers", SOLVERS)):
            listing = tool.run(["list", kind]).out.split("WARNING:")[0]  # of a library compiled without optimisation
            lines = [line for line in listing.splitlines() if line and not line.startswith(FAMILIES)]
            self.assertTrue(lines[0].startswith("id "))
            self.assertEqual([line.split()[0] for line in lines[1:]][:len(names)], names)
            self.assertEqual(len(lines) - 1, len(listed(kind)))

    def test_text_has_a_heading_for_each_family_where_there_are_several(self):
        def headings(*args):
            return [next(f for f in FAMILIES if line.startswith(f))
                    for line in tool.run(["list", "problems", *args]).out.splitlines() if line.startswith(FAMILIES)]
        self.assertEqual(headings(), list(FAMILIES))
        self.assertEqual(headings("--tag", "detest"), list(FAMILIES[1:3]))
        self.assertEqual(headings("--tag", "class-a"), list(FAMILIES[1:3]))
        self.assertEqual(headings("--form", "dae"), [FAMILIES[0], FAMILIES[3]])
        self.assertEqual(headings("--sort", "n"), [], "mixed by size, there are no parts")

    def test_filters_of_problems(self):
        everything = tool.run(["list", "problems", "--format", "json"]).json()
        for form in ("ode", "dae", "ide"):
            self.assertEqual(listed("problems", "--form", form), [p["id"] for p in everything if p["form"] == form])
        for index in range(4):
            self.assertEqual(listed("problems", "--index", str(index)), [p["id"] for p in everything if p["index"] == index])
        for tag in ("stiff", "circuits", "index-1", "detest", "class-f"):
            found = listed("problems", "--tag", tag)
            self.assertTrue(found)
            self.assertEqual(found, [p["id"] for p in everything if tag in p["tags"]])
        sizes = [p["dimension"] for p in tool.run(["list", "problems", "--sort", "n", "--format", "json"]).json()]
        self.assertEqual(sizes, sorted(sizes))
        self.assertNotEqual([p["dimension"] for p in everything], sizes)
        both = listed("problems", "--form", "ide", "--tag", "circuits")
        self.assertEqual(both, [p["id"] for p in everything if p["form"] == "ide" and "circuits" in p["tags"]])
        self.assertIn("nand", both)
        self.assertIn("caraxis", listed("problems", "--index", "3"))
        self.assertEqual(listed("problems", "--form", "ode", "--index", "3"), [])  # nothing found is no mistake

    def test_filters_of_solvers(self):
        self.assertIn("radau5", listed("solvers", "--form", "ode"))
        self.assertIn("radau5", listed("solvers", "--form", "dae", "--index", "3"))
        self.assertNotIn("radau5", listed("solvers", "--form", "ide"))


    def test_a_solver_whose_library_is_not_there_is_listed_and_asking_for_it_is_exit_code_3(self):
        missing = [s["id"] for s in tool.run(["list", "solvers", "--format", "json"]).json() if not s["available"]]
        lines = tool.run(["list", "solvers"]).out.splitlines()
        for name in missing:
            with self.subTest(name):
                self.assertTrue(any(re.match(rf"{name} +unavailable: needs \w+", line) for line in lines))
                asked = tool.run(["run", "hires", name, "--rtol", "1e-4"])
                self.assertEqual((asked.code, asked.out), (3, ""), asked)
                self.assertIn(f"solver '{name}' needs ", asked.err)


class Outline(html.parser.HTMLParser):
    """Headings of a page, and whether its tags are balanced."""

    EMPTY = {"meta", "br", "hr", "img", "link", "col", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.headings, self.balanced = [], {}, True
        self.feed(text)
        self.close()
        self.balanced = self.balanced and not self.open

    def handle_starttag(self, tag, attrs):
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.balanced = False

    def handle_data(self, data):
        for level in ("title", "h1", "h2", "h3"):
            if level in self.open:
                self.headings[level] = self.headings.get(level, "") + data.replace("\n", " ")


class Published(unittest.TestCase):
    def test_rows_as_they_were_printed(self):
        rows = tool.run(["published", "hires", "--format", "json"]).json()
        self.assertEqual(len(rows), 56)
        row = next(r for r in rows if (r["solver"], r["source"], r["rtol"]) == ("RADAU5", "1998", 1e-4))
        self.assertEqual((row["published"]["steps"], row["published"]["accepted"], row["published"]["f"]), (42, 33, 333))
        self.assertIsNone(row["ours"])

    def test_beside_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            db = os.path.join(folder, "a.db")
            made = tool.run(["run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1", "--jacobian", "original", "--db", db])
            self.assertEqual(made.code, 0, made)
            result = tool.run(["published", "hires", "--db", db])
            self.assertEqual(result.code, 0, result)
            self.assertIn(" equal\n", result.out)
            # RADAU5 of 1996 had other counts; those of 1998 were printed twice.
            self.assertTrue(result.out.endswith("\n2 of the 3 published runs that were repeated have every published count.\n"), result.out)

    def test_what_is_allowed(self):
        result = tool.run(["published", "hirse"])
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertIn("'hirse' given; allowed: ", result.err)
        self.assertIn("did you mean 'hires'", result.err)


class Show(unittest.TestCase):
    def test_text(self):
        for name in PROBLEMS + SOLVERS:
            with self.subTest(name):
                result = shown(name)
                self.assertEqual((result.code, result.err), (0, ""))
                self.assertGreater(len(result.out), 1000)
                self.assertNotIn("\\", result.out, "TeX left in the text")
                self.assertNotIn("$", result.out, "TeX left in the text")
                chapter = re.split(r"(?m)^(?:Parameters|Options) \(--", result.out)[0]
                for line in chapter.splitlines():
                    self.assertLessEqual(len(line), LONGEST_LINE, line)

    def test_the_options_of_a_solver_stand_in_columns(self):
        for name in SOLVERS:
            with self.subTest(name):
                table = shown(name).out.partition("Options (--opt name=value)\n\n")[2]
                rows = [line for line in table.splitlines() if re.match(r"   [a-z]", line)]
                self.assertLessEqual(len({re.match(r"   \S+ +\S+   ", row).end() for row in rows}), 1, table)

    def test_the_options_of_a_solver_are_a_table_of_its_chapter(self):
        for name in SOLVERS:
            page = shown(name, "json").json()
            section = re.search(r"(?ms)^## Options\n(.*?)^## ", page["chapter"])[1]
            html = shown(name, "html").out
            for option in page["options"]:
                with self.subTest(f"{name} {option['name']}"):
                    self.assertEqual(section.count(f"| `{option['name']}` |"), 1)
                    self.assertIn(f"<code>{option['name']}</code>", html)
                    self.assertIn(option["kind"], ("real", "whole", "flag", "choice"))

    def test_a_problem_in_four_sections_with_parameters_and_reference(self):
        for name in PROBLEMS:
            with self.subTest(name):
                text = shown(name).out
                at = [text.find("\n" + heading + "\n") for heading in
                      ("General information", "Mathematical description", "Origin of the problem", "Numerical solution of the problem")]
                self.assertNotIn(-1, at)
                self.assertEqual(at, sorted(at))
                self.assertIn("\nReference solution at t = ", text)
                for parameter in shown(name, "json").json()["parameters"]:
                    self.assertRegex(text, rf"(?m)^ +{re.escape(parameter['name'])} ")

    def test_json(self):
        for name in PROBLEMS + SOLVERS:
            with self.subTest(name):
                page = shown(name, "json").json()
                self.assertEqual(page["id"], name)
                self.assertTrue(page["chapter"].startswith("# "))
        hires = tool.run(["show", "hires", "--format", "json"]).json()
        self.assertEqual(len(hires["reference"]["value"]), hires["dimension"])
        self.assertEqual(hires["reference"]["value"][0][:22], "7.37131257332566780727")
        self.assertEqual({p["name"]: p["default"] for p in hires["parameters"]}["k1"], 1.71)
        options = {o["name"]: o for o in tool.run(["show", "radau5", "--format", "json"]).json()["options"]}
        self.assertEqual((options["safety"]["default"], options["safety"]["min"], options["safety"]["max"]), (0.9, 0.001, 0.999))

    def test_html(self):
        for name in PROBLEMS + SOLVERS:
            with self.subTest(name):
                text = shown(name, "html").out
                self.assertTrue(text.startswith("<!DOCTYPE html>"))
                page = Outline(text)
                self.assertTrue(page.balanced, "tags are not balanced")
                self.assertTrue(page.headings["title"])
                self.assertIn("<math", text)
                self.assertNotRegex(text, r'(?:src|href)="https?:', "the page needs the network")
                for heading in ("General information", "Numerical solution of the problem") if name in PROBLEMS else ("Method",):
                    self.assertIn(heading, page.headings["h2"])

    def test_plugin(self):
        result = tool.run(["show", tool.example("rosenbrock")])
        self.assertEqual(result.code, 0, result)
        self.assertIn("RODAS3", result.out)
        self.assertIn("safety", result.out)


class Check(unittest.TestCase):
    def test_problems_pass(self):
        # One of each form, with a mass matrix, of a higher index, of DETEST, with a size. problems/all_problems_test checks all of them in less time,
        # cli/checks_slow with all the time that the command takes.
        for name in PROBLEMS if "IVP_SLOW_CHECKS" in os.environ else ("hires", "transamp", "nand", "caraxis", "detest-s-b1", "bruss"):
            with self.subTest(name):
                result = tool.run(["check", name, "--format", "json"])
                self.assertEqual(result.code, 0, result)
                report = result.json()
                self.assertEqual((report["problem"], report["passed"]), (name, True))
                self.assertGreaterEqual(len(report["findings"]), 6)
                for finding in report["findings"]:
                    self.assertIs(finding["passed"], True)
                    self.assertIn(finding["proof"], ("proven", "claimed", "none"))
                    self.assertTrue(finding["detail"])

    def test_text(self):
        result = tool.run(["check", "nand"])
        self.assertEqual(result.code, 0)
        self.assertIn("All checks passed", result.out)
        self.assertRegex(result.out, r"(?m)^ +proven +initial values ")

    def test_other_parameters(self):
        result = tool.run(["check", "medakzo", "--set", "N=20"])
        self.assertEqual(result.code, 0)
        self.assertIn("All checks passed", result.out)
        self.assertRegex(result.out, r"reference solution +none for these parameters")
        result = tool.run(["check", "bruss", "--set", "N=50"])
        self.assertEqual(result.code, 0)
        self.assertRegex(result.out, r"reference solution +\S+ to \S+ significant digits claimed", "one is stored for this size")


class Help(unittest.TestCase):
    def test_the_tool(self):
        for flag in ("--help", "-h"):
            result = tool.run([flag])
            self.assertEqual((result.code, result.err), (0, ""))
            for command in OPTIONS:
                self.assertRegex(result.out, rf"(?m)^ +{command} ")
            self.assertIn("Exit codes", result.out)

    def test_every_command_names_its_options_and_no_others(self):
        for command, options in OPTIONS.items():
            with self.subTest(command):
                result = tool.run([command, "--help"])
                self.assertEqual((result.code, result.err), (0, ""))
                self.assertIn(f"ivp {command}", result.out)
                self.assertIn("Exit codes", result.out)
                named = set(re.findall(r"(?m)^ +(--[a-z][a-z0-9-]*)", result.out))
                self.assertEqual(named - {"--help"}, set(options))

    def test_every_setting_is_explained_with_its_default(self):
        for command in ("run", "wp"):
            text = " ".join(tool.run([command, "--help"]).out.split())
            for name, about in SETTINGS.items():
                with self.subTest(name):
                    self.assertIn(about["help"].partition("{}")[0], text)
        text = tool.run(["run", "--help"]).out
        self.assertIn("default 1000000", text)
        self.assertIn("default exact", text)

    def test_help_wins_over_missing_arguments(self):
        result = tool.run(["run", "hires", "--help"])
        self.assertEqual(result.code, 0)
        self.assertIn("--rtol", result.out)

    def test_version(self):
        with open(os.path.join(tool.setting("IVP_SOURCE"), "CMakeLists.txt"), encoding="utf-8") as f:
            version = re.search(r"project\(ivp VERSION (\S+)", f.read())[1]
        result = tool.run(["--version"])
        self.assertEqual((result.code, result.out), (0, f"ivp {version}\n"))
        self.assertEqual(tool.record(["hires", "radau5", "--rtol", "1e-4"])["build"]["version"], version)


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        began = tool.processor_seconds()
        cls.result = tool.run(["demo"], cwd=cls.folder)
        cls.seconds = tool.processor_seconds() - began
        with open(os.path.join(cls.folder, "ivp-demo", "records.jsonl"), encoding="utf-8") as f:
            cls.lines = f.read().splitlines()
        cls.records = [json.loads(line) for line in cls.lines]

    def test_it_succeeds_within_a_minute_of_a_core(self):
        self.assertEqual((self.result.code, self.result.err), (0, ""))
        self.assertLess(self.seconds, 60)

    def test_the_table_has_the_published_tolerances(self):
        block, rows = None, []
        for line in self.result.out.splitlines():
            heading = re.match(r"(\w+) \((ode|dae|ide), \d+ equations\)$", line)
            row = re.match(r"([\w-]+)(?: \(plug-in\))? +(1e-\d+) ", line)
            if heading:
                block = heading[1]
            elif row:
                rows.append((block, row[1], float(row[2])))
        self.assertEqual(rows, [(r["problem"], r["solver"], r["rtol"]) for r in self.records if r["rtol"] in (1e-4, 1e-7, 1e-10)])

    def test_several_problems_solvers_and_tolerances(self):
        self.assertGreaterEqual(len({r["problem"] for r in self.records}), 5)
        self.assertLessEqual({"radau5", "pside", "rosenbrock"}, {r["solver"] for r in self.records})
        self.assertGreaterEqual(len({r["rtol"] for r in self.records}), 3)

    def test_one_record_for_every_run(self):
        self.assertIn(f"\n{len(self.records)} runs;", self.result.out)
        for r in self.records:
            self.assertEqual(r["schema"], 1)
            if r["outcome"] != "success":
                self.assertTrue(r["message"])
        # Codes that lose rober or a tight tolerance did so in the published runs as well; they are few.
        succeeded = sum(r["outcome"] == "success" for r in self.records)
        self.assertGreaterEqual(succeeded, 0.9 * len(self.records))
        hires = [r for r in self.records if r["problem"] == "hires" and r["solver"] == "radau5"]
        self.assertEqual([r["steps"] for r in hires if r["rtol"] in (1e-4, 1e-7, 1e-10)], [42, 79, 203])  # as published

    def test_what_cannot_be_run_is_said(self):
        self.assertIn("Not run:", self.result.out)
        not_run = self.result.out.split("Not run:")[1]
        self.assertIn("nand", not_run)
        self.assertIn("dopri5 needs very many steps for hires, which is stiff", not_run)

    def test_it_tells_where_the_results_lie(self):
        with open(os.path.join(self.folder, "ivp-demo", "characteristics.txt"), encoding="utf-8") as f:
            self.assertIn(f.read(), self.result.out)
        names = ["characteristics.txt", "ivp.db", "records.jsonl", "report.html"]
        for name in names:
            self.assertIn("ivp-demo/" + name, self.result.out)
        left = sorted(os.listdir(os.path.join(self.folder, "ivp-demo")))
        self.assertEqual([n for n in left if not n.startswith("ivp.db-")], names)  # SQLite may leave its helpers beside the store

    def test_it_ends_with_the_report(self):
        path = self.result.out.splitlines()[-1].split("browser: ")[1]
        with open(path, encoding="utf-8") as f:
            page = f.read()
        self.assertTrue(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"))
        self.assertIn('id="problem-hires"', page)
        self.assertIn('id="solver-rosenbrock-plug-in"', page)
        self.assertIn(f"<strong>{len(self.records)}</strong> runs", page)

    def test_the_commands_of_the_records_hold_the_time_limit(self):
        # Without it the command of a run that was stopped does not repeat that run.
        for r in self.records:
            self.assertIn("--timeout", r["command"])


if __name__ == "__main__":
    unittest.main()
