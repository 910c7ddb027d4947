"""Campaigns as a user meets them: plan, store, records, query, merge, compare; what is killed goes on; a store that cannot be written is told.

IVP_KILLS says how often the campaign of the kill test is killed (default 5; the slow test asks for 50).
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

KILLS = int(os.environ.get("IVP_KILLS", "5"))

SMALL = """
name = "small"
repeat = 1
problems = ["hires", "rober", "vdpol"]
solvers = ["radau5", "dassl"]
rtol = [1e-4, 1e-6]
"""


def plugin(name):
    return os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins", name + ".so")


def processes_with(text):
    """Ids of running processes whose command line contains the text."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if text.encode() in f.read():
                    found.append(int(pid))
        except OSError:
            pass  # gone
    return found


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("small.toml", SMALL)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def ivp(self, *args, code=0):
        result = tool.run(list(args), cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return result

    def rows(self, sql, db="ivp.db"):
        lines = self.ivp("query", "--db", db, "--format", "csv", sql).out.splitlines()[1:]
        return [line.split(",") for line in lines]


class Campaign(Folder):
    def test_a_campaign_and_what_can_be_asked_of_its_store(self):
        dry = self.ivp("campaign", "small.toml", "--dry-run")
        self.assertIn("small: 12 runs, 0 of them stored", dry.out)
        self.assertIn("Estimated time", dry.out)
        self.assertFalse(os.path.exists(self.path("ivp.db")), "a dry run leaves nothing behind")

        first = self.ivp("campaign", "small.toml")
        self.assertIn("small: 12 runs made", first.out)
        self.assertEqual(sorted(os.listdir(self.folder)), ["ivp.db", "small.toml"], "a store at rest is one file")
        again = self.ivp("campaign", "small.toml")
        self.assertIn("0 runs made, 12 stored before", again.out)
        self.assertIn("12 of them stored", self.ivp("campaign", "small.toml", "--dry-run").out)

        lines = self.ivp("records", "--jsonl").out.splitlines()
        self.assertEqual(len(lines), 12)
        records = [json.loads(line) for line in lines]
        for r in records:
            self.assertEqual(r["campaign"], "small")
            self.assertEqual(len(r["cpu_samples"]), 1)
            self.assertEqual(len(r["solver_content"]), 64)
            self.assertRegex(r["measured_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        only = self.ivp("records", "--csv", "--problems", "hires", "--solvers", "dassl").out.splitlines()
        self.assertEqual(len(only), 3)
        self.assertTrue(only[0].startswith("schema,problem,"))

        # The command of a record repeats its run, to the last digit.
        chosen = next(r for r in records if r["problem"] == "vdpol" and r["solver"] == "dassl")
        single = tool.run([*chosen["command"].split()[1:], "--format", "json"])
        for name in ("steps", "nfev", "njac", "nlu", "y", "scd", "mescd", "outcome"):
            self.assertEqual(single.json()[name], chosen[name], name)

        self.assertEqual(self.rows("SELECT count(*) FROM samples"), [["12"]])
        table = self.ivp("query", "SELECT problem, solver, steps FROM runs ORDER BY problem, solver LIMIT 1").out.splitlines()
        self.assertEqual(table[0].split(), ["problem", "solver", "steps"])
        self.assertEqual(table[1].split()[:2], ["hires", "dassl"])

    def test_the_published_failure_of_dassl_on_rober_is_in_the_table_of_failed_runs(self):
        self.ivp("campaign", "small.toml")
        failed = self.rows("SELECT problem, solver, outcome, message <> '' FROM failed")
        self.assertIn(["rober", "dassl", "error_test_failed", "1"], failed)

    def test_foreign_solvers_that_crash_or_hang_are_rows_with_reasons(self):
        self.write("foreign.toml", f"""
            problems = "hires"
            solvers = ["radau5", "{plugin('never_ends')}", "{plugin('fails')}", "{tool.example('rosenbrock')}"]
            rtol = 1e-4
            timeout = 0.5
            repeat = 1
            """)
        self.ivp("campaign", "foreign.toml")
        rows = {solver: outcome for solver, outcome in self.rows("SELECT solver, outcome FROM runs WHERE message <> '' OR outcome = 'success'")}
        self.assertEqual(len(rows), 4)
        self.assertEqual(rows["radau5"], "success")
        self.assertIn("timed_out", rows.values())
        self.assertEqual(list(rows.values()).count("success"), 2, rows)
        self.assertEqual(self.rows("SELECT count(*) FROM runs WHERE solver_origin = 'plug-in' AND length(solver_content) = 64"), [["3"]])

    def test_shards_merge_into_the_whole(self):
        self.ivp("campaign", "small.toml", "--db", "whole.db")
        for part in ("1/2", "2/2"):
            self.ivp("campaign", "small.toml", "--shard", part, "--db", f"part{part[0]}.db")
        merged = self.ivp("merge", "all.db", "part1.db", "part2.db")
        self.assertIn("12 runs added to all.db", merged.out)
        same = self.ivp("compare", "whole.db", "all.db")
        self.assertIn("12 runs are in both whole.db and all.db", same.out)
        self.assertIn("No outcome, count or digit has changed", same.out)
        less = self.ivp("compare", "whole.db", "part1.db", code=1)
        self.assertIn("Runs missing in part1.db: 6", less.out)

    def test_what_changed_is_told_and_is_exit_code_1(self):
        self.ivp("campaign", "small.toml")
        subprocess.run([sys.executable, "-c", "import sqlite3, sys; d = sqlite3.connect(sys.argv[2]); s = sqlite3.connect(sys.argv[1]); s.backup(d);"
                        "d.execute(\"UPDATE run SET nlu = nlu + 1, scd = 9.5 WHERE id = 1\"); d.commit()", self.path("ivp.db"), self.path("new.db")],
                       check=True)
        result = self.ivp("compare", "ivp.db", "new.db", code=1)
        self.assertRegex(result.out, r"Changed runs: 1\n")
        self.assertRegex(result.out, r"\d+ -> \d+")
        self.assertRegex(result.out, r"\d\.\d\d -> 9\.50")
        conflict = self.ivp("merge", "both.db", "ivp.db", "new.db", code=1)
        self.assertEqual(conflict.out, "")
        self.assertIn("different scd, nlu", conflict.err)
        self.assertFalse(os.path.exists(self.path("both.db")))

    def test_faults(self):
        def refused(args, *words):
            result = self.ivp(*args, code=2)
            self.assertEqual(result.out, "", result)
            for word in words:
                self.assertIn(word, result.err)
            self.assertEqual(sorted(os.listdir(self.folder)), before, "a file was made")

        self.write("bad.toml", "problems = ['hirs']\nsolvers = ['radua5']\ntimeot = 3\n")
        before = sorted(os.listdir(self.folder))
        refused(["campaign", "bad.toml"], "bad.toml:1:13: unknown problem 'hirs'", "bad.toml:2:12: unknown solver 'radua5'", "bad.toml:3:1: unknown key 'timeot'")
        shutil.copy(tool.example("rosenbrock"), self.path("other.so"))
        self.write("twice.toml", f"problems = 'hires'\nsolvers = ['./other.so', '{tool.example('rosenbrock')}']\n")
        before = sorted(os.listdir(self.folder))
        refused(["campaign", "twice.toml"], "twice.toml:2:11: solvers:", "calls itself 'rosenbrock', and so does './other.so'")
        refused(["campaign"], "no plan given")
        refused(["campaign", "small.toml", "--preset", "quick"], "both given")
        refused(["campaign", "none.toml"], "none.toml")
        refused(["campaign", "--preset", "quik"], "did you mean 'quick'")
        refused(["campaign", "small.toml", "--jobs", "1000"], "--jobs: 1000 given", "number of cores")
        refused(["campaign", "small.toml", "--shard", "3/2", "--timeout", "0"], "--shard: '3/2' given", "--timeout: 0 given")
        refused(["records", "--jsonl"], "store 'ivp.db': there is no such file")
        refused(["records"], "--jsonl and --csv")
        refused(["query"], "SELECT")
        refused(["query", "--db", "small.toml", "SELECT 1"], "not a store of ivp")
        refused(["merge", "out.db"], "the stores to read")
        refused(["merge", "out.db", "none.db"], "none.db")
        refused(["compare", "a.db"], "the new store")

    def test_queries_cannot_change_the_store(self):
        self.ivp("campaign", "small.toml", "--shard", "1/6")
        for sql in ("DELETE FROM run", "DROP TABLE run", "UPDATE run SET steps = 0", "SELECT 1; DELETE FROM run"):
            self.ivp("query", sql, code=2)
        self.assertEqual(self.rows("SELECT count(*) FROM run"), [["2"]])


class Disturbed(Folder):
    """A campaign that is killed, stopped, or cannot write."""

    def start(self, *args, **how):
        return subprocess.Popen([tool.TOOL, "campaign", *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)

    def stored(self, db):
        return int(self.rows("SELECT count(*) FROM run", db)[0][0]) if os.path.exists(self.path(db)) else 0

    def test_killed_at_random_moments_it_goes_on_and_nothing_is_lost_or_twice(self):
        """The store has two names, and two campaigns at a time want to write to it, one by each name. Either may be killed at any moment."""
        per_decade = 10 if KILLS <= 10 else 60
        self.write("kill.toml", f"repeat = 1\nproblems = ['hires', 'pollu', 'ringmod']\nmax_steps = 1500\n"
                                f"solvers = ['radau5', 'dassl', '{tool.example('rosenbrock')}', '{plugin('several')}:third-heun']\n"
                                f"rtol = {{ from = 1e-3, to = 1e-5, per_decade = {per_decade} }}\n")
        self.ivp("campaign", "kill.toml", "--db", "quiet.db", "--jobs", "1")
        total = self.stored("quiet.db")
        chance = random.Random(20260131)
        names = ["killed.db", "a link of it.db"]
        stored, kills, refused, rounds = 0, 0, 0, 0
        while kills < KILLS:
            rounds += 1
            if not os.path.exists(self.path(names[1])) and os.path.exists(self.path(names[0])):
                os.link(self.path(names[0]), self.path(names[1]))
            first = chance.randrange(2)
            both = [self.start("kill.toml", "--db", self.path(name)) for name in (names[first], names[1 - first]) if os.path.exists(self.path(name)) or name == names[0]]
            # At any moment of the start; while runs are stored; after one of the two has met the other.
            if rounds % 3 == 1:
                self.wait_for(lambda: any(os.path.exists(self.path(name + "-wal")) for name in names) or both[0].poll() is not None)
            if rounds % 3 == 2:
                self.wait_for(lambda: any(process.poll() is not None for process in both))
            time.sleep(chance.uniform(0, 0.15))
            chance.shuffle(both)
            alive = [process for process in both if process.poll() is None]
            for process in alive:
                process.send_signal(signal.SIGKILL)
                kills += 1
            for process in both:
                _, err = process.communicate()
                if process.returncode == 2:
                    self.assertIn(b"another campaign is writing to it", err)
                    refused += 1
                else:
                    self.assertIn(process.returncode, (0, -signal.SIGKILL), err)
            now = [self.stored(name) for name in names if os.path.exists(self.path(name))]
            self.assertEqual(len(set(now)) <= 1, True, "both names show the same runs")
            if now:
                self.assertGreaterEqual(now[0], stored, "a finished run was lost")
                stored = now[0]
            if stored == total and kills < KILLS:  # everything was done before the last kill: begin again
                self.verify(names[kills % 2], total)
                for name in os.listdir(self.folder):
                    if name.startswith(tuple(names)):
                        os.remove(self.path(name))
                stored = 0
        self.ivp("campaign", "kill.toml", "--db", names[0])
        self.verify(names[0], total)
        self.assertGreater(refused, 0, "the second campaign never met the first")
        time.sleep(0.2)
        self.assertEqual(processes_with(self.folder), [], "a process was left behind")

    @staticmethod
    def wait_for(condition):
        end = time.monotonic() + 60
        while not condition() and time.monotonic() < end:
            time.sleep(0.002)

    def verify(self, db, total):
        """It is what a quiet campaign stores: nothing is missing, twice, or different."""
        self.assertEqual(self.stored(db), total)
        self.assertEqual(self.rows("PRAGMA integrity_check", db), [["ok"]])
        self.assertEqual(self.rows("SELECT count(DISTINCT setting) FROM run", db), [[str(total)]])
        deterministic = ("SELECT setting, limits, problem, solver, rtol, atol, h0, outcome, message, t_end_reached, y, scd, scd_abs, mescd, steps, accepted,"
                         " rejected, nfev, nfev_jac, njac, nlu, nsolve, repeats, claimed, json_remove(extra, '$.peak_memory_mib'), command FROM runs ORDER BY setting")
        self.assertEqual(self.rows(deterministic, db), self.rows(deterministic, "quiet.db"))
        self.assertIn("No outcome, count or digit has changed", self.ivp("compare", "quiet.db", db).out)

    def test_ctrl_c_ends_cleanly(self):
        self.write("long.toml", "problems = 'hires'\nsolvers = 'radau5'\nrtol = { from = 1e-3, to = 1e-9, per_decade = 200 }\n")
        process = self.start("long.toml", "--db", os.path.join(self.folder, "long.db"), start_new_session=True)
        deadline = time.monotonic() + 600  # only so that a fault ends the test
        while self.stored("long.db") < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as the terminal does: to all of them
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn(b"the same command resumes the campaign", out)
        stored = self.stored("long.db")
        self.assertGreaterEqual(stored, 3)
        self.assertIn(f"{stored} of 1201 runs stored".encode(), out)
        self.assertEqual(processes_with(self.folder), [], "a process was left behind")
        self.assertEqual(sorted(os.listdir(self.folder)), ["long.db", "long.toml", "small.toml"])

    def test_a_full_disk_is_told_and_what_is_stored_is_intact(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

        self.write("long.toml", "repeat = 1\nproblems = 'medakzo'\nsolvers = 'radau5'\nrtol = { from = 1e-2, to = 1e-4, per_decade = 100 }\n")
        process = self.start("long.toml", preexec_fn=small_files)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, err)
        self.assertRegex(err.decode(), r"ivp: store 'ivp.db': .*what was stored before is intact")
        self.assertEqual(self.rows("PRAGMA integrity_check"), [["ok"]])
        stored = self.stored("ivp.db")
        self.assertGreater(stored, 3)
        self.ivp("campaign", "long.toml", "--shard", "1/40")  # with room again it goes on
        self.assertGreater(self.stored("ivp.db"), 0)

    def test_a_read_only_store_is_told_and_unchanged(self):
        self.ivp("campaign", "small.toml", "--shard", "1/6")
        with open(self.path("ivp.db"), "rb") as f:
            before = f.read()
        os.chmod(self.path("ivp.db"), 0o444)
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)

        def nobody():
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)

        process = self.start("small.toml", preexec_fn=nobody)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, err)
        self.assertIn(b"read-only", err)
        count = subprocess.run([tool.TOOL, "query", "SELECT count(*) FROM run"], cwd=self.folder, preexec_fn=nobody, stdout=subprocess.PIPE, check=True)
        self.assertEqual(count.stdout.split()[-1], b"2")
        os.chmod(self.folder, 0o755)
        with open(self.path("ivp.db"), "rb") as f:
            self.assertEqual(f.read(), before)


class Archive(Folder):
    """The results that come with the project are company for anybody's own."""

    STORE = os.path.join(tool.setting("IVP_SOURCE"), "data", "results", "standard.db")

    def test_joins_own_runs_and_is_not_changed(self):
        before = os.stat(self.STORE)
        self.assertLess(before.st_size, 3_000_000)
        self.ivp("campaign", "small.toml", "--db", "mine.db")
        self.assertRegex(self.ivp("merge", "mine.db", self.STORE).out, r"^\d{3,4} runs added to mine.db")
        count = {row[0]: int(row[1]) for row in self.rows("SELECT campaign, count(*) FROM runs GROUP BY campaign", db="mine.db")}
        self.assertEqual(count["small"], 12)
        self.assertGreater(count["standard"], 900)
        self.assertEqual(os.stat(self.STORE).st_mtime_ns, before.st_mtime_ns)
        self.assertEqual([name for name in os.listdir(os.path.dirname(self.STORE)) if name.startswith("standard")], ["standard.db"])

    def test_every_time_has_a_machine(self):
        sums = "count(DISTINCT problem), sum(cpu = '' OR cores < 1), sum(outcome = 'success' AND cpu_s IS NULL), sum(NOT json_valid(notes))"
        self.assertEqual(self.rows(f"SELECT {sums} FROM runs", db=self.STORE), [["24", "0", "0", "0"]])

    def test_what_it_says_is_what_this_program_computes(self):
        """Counts and digits of two quick runs, unless their solver or problem has changed since."""
        self.write("two.toml", 'repeat = 5\ntimeout = 20\njacobian = "original"\nproblems = ["hires", "rober"]\nsolvers = ["radau5", "dassl"]\nrtol = 1e-7\n')
        self.ivp("campaign", "two.toml", "--db", "two.db")
        what = "SELECT setting || problem_content || solver_content || build_content, outcome, steps, nfev, nlu, scd FROM runs"
        now, then = ({row[0]: row[1:] for row in self.rows(what, db=db)} for db in ("two.db", self.STORE))
        self.assertEqual(len(now), 4)
        for key in now.keys() & then.keys():
            self.assertEqual(now[key], then[key])


if __name__ == "__main__":
    unittest.main()
