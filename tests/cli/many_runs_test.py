"""Very many cheap runs: what the platform adds to each, its memory, and how fast the store answers.

IVP_RUNS says how many (default 10000).
"""

import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

RUNS = int(os.environ.get("IVP_RUNS", "10000"))
OVERHEAD_S = 0.003
QUERY_S = 2.0

REPORT_QUERIES = (
    "SELECT problem, solver, count(*), avg(scd), min(cpu_s), sum(steps) FROM runs GROUP BY problem, solver",
    "SELECT outcome, count(*) FROM runs GROUP BY outcome",
    "SELECT rtol_asked, scd, cpu_s, command FROM runs WHERE problem = 'hires' AND solver = 'radau5' ORDER BY rtol_asked",
    "SELECT count(*) FROM failed",
    "SELECT avg(cpu_s), max(wall_s) FROM samples",
)


class ManyRuns(unittest.TestCase):
    def campaign(self, runs):
        """Largest resident memory of a campaign in KiB, its time, and the processor time of all its processes."""
        with open(os.path.join(self.folder, "many.toml"), "w", encoding="utf-8") as f:
            f.write(f"repeat = 1\nproblems = 'hires'\nsolvers = ['radau5', 'rodas']\nrtol = {{ from = 1e-3, to = 1e-5, per_decade = {runs // 4} }}\n")
        begin = time.monotonic()
        process = subprocess.Popen([tool.TOOL, "campaign", "many.toml", "--db", f"{runs}.db"], cwd=self.folder, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return used.ru_maxrss, time.monotonic() - begin, used.ru_utime + used.ru_stime

    def test_overhead_memory_and_queries(self):
        with tempfile.TemporaryDirectory() as self.folder:
            few, _, _ = self.campaign(RUNS // 20)
            many, seconds, processor = self.campaign(RUNS)
            db = os.path.join(self.folder, f"{RUNS}.db")
            ask = lambda sql: tool.run(["query", "--db", db, "--format", "csv", sql])
            count, solved = ask("SELECT count(*), sum(cpu_s) FROM run").out.splitlines()[1].split(",")
            # Processor time: what else the machine does at the moment is not the platform's.
            overhead = (processor - float(solved)) / int(count)
            print(f"{count} runs in {seconds:.1f} s ({1000 * seconds / int(count):.2f} ms each); processor time {1000 * overhead:.2f} ms around"
                  f" {1000 * float(solved) / int(count):.2f} ms of each;"
                  f" memory {few} KiB with {RUNS // 20} runs, {many} KiB with {RUNS}; store {os.path.getsize(db)} bytes")
            self.assertGreaterEqual(int(count), RUNS)
            self.assertLess(overhead, OVERHEAD_S)
            self.assertLess(many, 1.1 * few + 4096)
            for sql in REPORT_QUERIES:
                begin = tool.processor_seconds()
                self.assertEqual(ask(sql).code, 0)
                used = tool.processor_seconds() - begin
                print(f"{used:.2f} s: {sql}")
                self.assertLess(used, QUERY_S)
            begin = tool.processor_seconds()
            tool.run(["records", "--db", db, "--csv", "--problems", "none"])
            self.assertLess(tool.processor_seconds() - begin, QUERY_S)


if __name__ == "__main__":
    unittest.main()
