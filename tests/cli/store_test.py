"""Stores as a user meets them: what a query answers, records of other programs, guests that bear the names of hosts, folders that are gone."""

import json
import os
import sqlite3
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402


def plugin(name):
    return os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins", name + ".so")


class Folder(tool.Folder):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def ivp(self, *args, code=0):
        result = tool.run(list(args), cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return result

    def campaign(self, problems, solvers, db="ivp.db", rtol="[1e-4, 1e-5]"):
        self.write("plan.toml", f"repeat = 1\nproblems = {problems}\nsolvers = {solvers}\nrtol = {rtol}\n")
        return self.ivp("campaign", "plan.toml", "--db", db)

    def objects(self, sql, db="ivp.db"):
        return self.ivp("query", sql, "--db", db, "--format", "json").json()


class Query(Folder):
    def setUp(self):
        super().setUp()
        self.campaign(["hires"], ["radau5", "dopri5"], rtol="1e-4")

    def test_json_has_numbers_texts_and_null(self):
        rows = self.objects("SELECT problem, steps, cpu_s, scd, h0, y FROM runs WHERE solver = 'radau5'")
        record = json.loads(self.ivp("records", "--jsonl", "--solvers", "radau5").out)
        self.assertEqual(rows, [{name: record[name] for name in ("problem", "steps", "cpu_s", "scd", "h0")} | {"y": rows[0]["y"]}])
        self.assertEqual(json.loads(rows[0]["y"]), record["y"])
        self.assertEqual(self.objects("SELECT NULL AS none"), [{"none": None}])
        self.assertEqual(self.objects("SELECT problem FROM runs WHERE FALSE"), [])
        self.assertIn("'problem'", self.ivp("query", "SELECT problem, problem FROM runs", "--format", "json", code=2).err)

    def test_json_is_json_or_nothing(self):
        self.assertEqual(self.objects("SELECT 9e999 AS above, -9e999 AS below, 1.5 AS finite"), [{"above": None, "below": None, "finite": 1.5}])
        self.assertEqual(self.ivp("query", "SELECT json('{') AS broken FROM runs", "--format", "json", code=2).out, "")
        self.assertEqual(self.ivp("query", "SELECT 1 AS one WHERE FALSE", "--format", "json").out, "[]\n")

    def test_reals_are_printed_in_full(self):
        cpu = json.loads(self.ivp("records", "--jsonl", "--solvers", "radau5").out)["scd"]
        for how in ("text", "csv"):
            self.assertIn(repr(cpu), self.ivp("query", "SELECT scd FROM runs WHERE solver = 'radau5'", "--format", how).out)

    def test_what_is_wrong_is_answered_with_what_there_is(self):
        err = self.ivp("query", "SELECT rtoll FROM runs", code=2).err
        self.assertIn("no such column: rtoll", err)
        self.assertIn("columns of runs and failed: id, setting,", err)
        self.assertIn("columns of samples: run, number, cpu_s, wall_s", err)
        self.assertIn("columns of runs and failed", self.ivp("query", "SELECT * FROM records", code=2).err)
        names = [self.ivp("query", f"SELECT * FROM {view} WHERE FALSE", "--format", "csv").out for view in ("runs", "failed")]
        self.assertEqual(names[0], names[1])

    def test_a_comment_may_follow(self):
        self.assertEqual(self.objects("SELECT count(*) AS n FROM runs; -- all of them"), [{"n": 2}])

    def test_only_a_plain_file_is_read(self):
        os.mkfifo(self.path("pipe"))
        self.assertIn("not a plain file", self.ivp("query", "SELECT 1", "--db", "pipe", code=2).err)

    def test_a_damaged_run_is_named(self):
        with sqlite3.connect(self.path("ivp.db")) as db:
            db.execute("PRAGMA ignore_check_constraints = ON")
            db.execute("UPDATE run SET y = '[1,'")
        db.close()
        for command in (["records", "--jsonl"], ["report"], ["merge", "new.db", "ivp.db"], ["compare", "ivp.db", "ivp.db"]):
            err = self.ivp(*command, code=2).err
            self.assertRegex(err, r"^ivp: store 'ivp.db': run \d+ is damaged: y: not an array of numbers")
        self.assertEqual(sorted(os.listdir(self.folder)), ["ivp.db", "plan.toml"])


class Import(Folder):
    def foreign(self, *args, **changes):
        record = tool.record(list(args))
        record.update(solver="other-radau", solver_origin="program", solver_language="Julia", command="julia run.jl", **changes)
        return json.dumps(record) + "\n"

    def test_runs_of_another_program_are_in_tables_and_reports(self):
        self.campaign(["hires"], ["radau5"])
        self.write("theirs.jsonl", "".join(self.foreign("hires", "radau5", "--rtol", rtol) for rtol in ("1e-4", "1e-5")))
        self.assertEqual(self.ivp("import", "theirs.jsonl").out, "2 runs added to ivp.db\n")
        self.assertEqual(self.ivp("import", "theirs.jsonl").out, "0 runs added to ivp.db, 2 were in it already\n")
        rows = self.objects("SELECT solver, solver_origin, problem_content, solver_content, build_content FROM runs WHERE solver_origin = 'program'")
        self.assertEqual(rows, [dict(solver="other-radau", solver_origin="program", problem_content="imported", solver_content="imported",
                                     build_content="imported")] * 2)
        self.ivp("report", "--out", "book.html", "--latex", "paper")
        self.assertIn("other-radau (program)", self.read("book.html"))
        self.assertIn(r"\texttt{other-\allowbreak{}radau (program)}", self.read("paper/hires-runs.tex"))
        self.ivp("merge", "all.db", "ivp.db")
        self.assertIn("No outcome, count or digit has changed", self.ivp("compare", "ivp.db", "all.db").out)

    def test_faults_have_lines_and_nothing_is_stored(self):
        self.write("theirs.jsonl", self.foreign("hires", "radau5", "--rtol", "1e-4") + self.foreign("rober", "radau5", "--rtol", "1e-4", nfev=-1) + "{}\n")
        err = self.ivp("import", "theirs.jsonl", "--db", "new.db", code=2).err
        self.assertIn("theirs.jsonl:2: record field 'nfev': -1 found; allowed: a whole number from 0", err)
        self.assertIn("theirs.jsonl:3: no field 'problem'; a line needs problem, solver", err)
        self.assertIn("'none.jsonl'", self.ivp("import", "none.jsonl", code=2).err)
        self.assertIn("a file with records", self.ivp("import", code=2).err)
        self.assertEqual(os.listdir(self.folder), ["theirs.jsonl"])

    def test_digits_are_not_believed(self):
        self.write("theirs.jsonl", self.foreign("hires", "radau5", "--rtol", "1e-4", mescd=14.5, scd=14.5))
        self.ivp("import", "theirs.jsonl")
        self.assertLess(self.objects("SELECT scd FROM runs")[0]["scd"], 8)


class Merge(Folder):
    def test_foreign_names_of_machines_are_one_short_line(self):
        self.campaign(["hires"], ["radau5"], rtol="1e-4")
        with sqlite3.connect(self.path("ivp.db")) as db:
            db.execute("UPDATE machine SET cpu = ?, os = ?", ("a\ncpu" + 900 * "x", "an\nos" + 900 * "x"))
            db.execute("UPDATE run SET host = ?", ("a\nhost" + 900 * "x",))
        db.close()
        lines = self.ivp("merge", "all.db", "ivp.db").out.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[1], r"^   machine 1: a cpux+…, \d+ cores?, an osx+…; 1 run on a hostx+…$")
        self.assertLess(len(lines[1]), 700)


class Names(Folder):
    """A plug-in may call itself as it likes; it does not become what bears that name."""

    def test_a_solver_and_a_problem_with_names_of_the_catalog_are_kept_apart(self):
        self.campaign(["hires", plugin("namesake_problem")], ["radau5", plugin("namesake_solver")])
        self.campaign(["hires"], ["radau5"], db="own.db")
        self.campaign(["hires"], [plugin("namesake_solver")], db="guest.db")
        rows = self.objects("SELECT problem, problem_origin, solver, solver_origin, count(*) AS n FROM runs GROUP BY 1, 2, 3, 4")
        self.assertEqual([tuple(r.values()) for r in rows],
                         [("hires", o, "radau5", s, 2) for o in ("own", "plug-in") for s in ("own", "plug-in")])
        self.assertIn("4 runs added to merged.db", self.ivp("merge", "merged.db", "own.db", "guest.db").out)
        compared = self.ivp("compare", "own.db", "guest.db", code=1).out
        self.assertIn("0 runs are in both", compared)
        self.assertIn("hires with radau5 at rtol", compared)
        self.assertIn("hires with radau5 (plug-in) at rtol", self.ivp("compare", "guest.db", "own.db", code=1).out)
        self.assertEqual(self.ivp("compare", "own.db", "merged.db").code, 0)
        self.ivp("report", "--out", "book.html", "--latex", "paper")
        book = self.read("book.html")
        for name in ("hires (plug-in)", "radau5 (plug-in)", 'id="solver-radau5"', 'id="problem-hires"', 'id="problem-hires-plug-in"'):
            self.assertIn(name, book)
        self.assertIn("hires-plug-in-runs.tex", os.listdir(self.path("paper")))
        self.assertRegex(self.read("paper/hires-runs.tex"), r"radau5 \(plug-")

    def test_in_tables_too(self):
        out = self.ivp("wp", "hires", "--solvers", f"radau5,{plugin('namesake_solver')}", "--rtol", "1e-4", "--repeat", "1").out
        self.assertRegex(out, r"(?m)^ *1e-04 radau5  +\d")
        self.assertRegex(out, r"(?m)^ *1e-04 radau5 \(plug-in\) ")
        self.assertIn("radau5 (plug-in) / radau5:", out)
        self.assertIn("using RADAU5 (plug-in)", self.ivp("run", "hires", plugin("namesake_solver"), "--rtol", "1e-4", "--repeat", "1").out)
        chosen = self.ivp("choose", "hires", "--digits", "3", "--solvers", f"{plugin('namesake_solver')},radau5").out
        self.assertIn("Take radau5 with", chosen)


class Libraries(Folder):
    """One library, several solvers."""

    def test_plans_and_assessments_take_one_of_several(self):
        self.campaign(["hires"], [plugin("several") + ":first-euler", plugin("several") + ":heun"])
        rows = self.objects("SELECT solver, solver_content, count(*) AS n FROM runs GROUP BY 1, 2")
        self.assertEqual([(r["solver"], r["n"]) for r in rows], [("first-euler", 2), ("third-heun", 2)])
        self.assertEqual(rows[0]["solver_content"], rows[1]["solver_content"])
        self.ivp("detest", "nonstiff", plugin("several") + ":heun", "--groups", "A1", "--tol", "1e-2", "--level", "1", "--timing", "0", "--db", "ivp.db")
        self.assertEqual(self.objects("SELECT count(*) AS n FROM assessment"), [{"n": 1}])


class Places(Folder):
    def test_a_working_directory_that_is_gone(self):
        script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
        for command, words in ((["query", "SELECT 1"], b"working directory"), (["campaign", "--preset", "quick"], b"working directory"),
                               (["report"], b"'ivp.db'"), (["import", "x.jsonl"], b"x.jsonl")):
            done = subprocess.run(["sh", "-c", script, "sh", tool.TOOL, *command], cwd=self.folder, capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(words, done.stderr)
            self.assertNotIn(b"internal error", done.stderr)

    def test_a_read_only_folder(self):
        self.campaign(["hires"], ["radau5"], rtol="1e-4")
        os.mkdir(self.path("locked"), 0o755)
        os.rename(self.path("ivp.db"), self.path("locked/ivp.db"))
        os.chmod(self.path("locked/ivp.db"), 0o666)
        os.chmod(self.path("locked"), 0o555)
        os.chmod(self.folder, 0o755)
        self.addCleanup(os.chmod, self.path("locked"), 0o755)

        def nobody():
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)

        for db, words in (("locked/ivp.db", b"its folder is read-only"), ("locked/new.db", b"the folder is read-only")):
            done = subprocess.run([tool.TOOL, "campaign", "plan.toml", "--db", db], cwd=self.folder, capture_output=True, timeout=60, check=False,
                                  preexec_fn=nobody)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(words, done.stderr)
        self.assertEqual(os.listdir(self.path("locked")), ["ivp.db"])


class Diagrams(Folder):
    def test_one_without_digits_says_why_and_what_to_do(self):
        out = self.ivp("wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--tend", "10", "--repeat", "1", "--out", "d.svg", "--out", "d.html").out
        self.assertRegex(out, r"hires: nothing in the diagram\. No run has digits: there is no\s+reference\s+solution")
        for name in ("d.svg", "d.html"):
            self.assertIn("No run has digits: there is no reference solution", self.read(name))


class Thinned(Folder):
    """tools/thin-samples"""

    def thin(self, db, code=0):
        result = subprocess.run([os.path.join(tool.setting("IVP_SOURCE"), "tools", "thin-samples"), self.path(db)], capture_output=True, text=True)
        self.assertEqual(result.returncode, code, result)
        return result

    def samples(self, db="ivp.db"):
        return [(json.loads(r["cpu_samples"]), json.loads(r["wall_samples"])) for r in self.objects("SELECT cpu_samples, wall_samples FROM run ORDER BY id", db)]

    def test_nine_samples_of_each_run_are_left_with_the_least_and_the_largest(self):
        self.write("plan.toml", 'problems = ["hires", "plei"]\nsolvers = ["radau5"]\nrtol = [1e-4, 1e-5]\nrepeat = 40\n')
        self.ivp("campaign", "plan.toml", "--db", "ivp.db")
        self.campaign(["vdpol"], ["rodas"])  # one sample each: nothing to leave out
        before, columns = self.samples(), "SELECT problem, solver, rtol, outcome, cpu_s, wall_s, repeats, steps, mescd, y FROM runs ORDER BY id"
        rows = self.objects(columns)
        self.thin("ivp.db")
        after = self.samples()
        self.assertEqual([len(cpu) for cpu, _ in before], [40] * 4 + [1] * 2)
        self.assertEqual([len(cpu) for cpu, _ in after], [9] * 4 + [1] * 2)
        for (cpu, wall), (cpu9, wall9) in zip(before, after):
            made = iter(list(zip(cpu, wall)))
            for pair in zip(cpu9, wall9):
                self.assertIn(pair, made, "both times of a repetition, unchanged, in the order in which they were made")
            self.assertEqual((min(cpu9), max(cpu9)), (min(cpu), max(cpu)))
        self.assertEqual(self.objects(columns), rows, "all else is as it was")
        self.ivp("compare", "ivp.db", "ivp.db")
        self.thin("ivp.db")
        self.assertEqual(self.samples(), after, "a second time changes nothing")

    def test_what_is_no_store_stays_as_it_is(self):
        self.write("x.db", "no store")
        self.assertIn("thin-samples: ", self.thin("x.db", 1).stderr)
        self.assertEqual(self.read("x.db"), "no store")
        self.assertIn("thin-samples: ", self.thin("none.db", 1).stderr)
        self.assertFalse(os.path.exists(self.path("none.db")))


if __name__ == "__main__":
    unittest.main()
