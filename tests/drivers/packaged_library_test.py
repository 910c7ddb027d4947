"""Which build of SUNDIALS a run used, and the warning beside times of one that was compiled without optimisation.

IVP_PACKAGED_SUNDIALS is the folder of the library as the distribution has it (Debian 12: compiled without optimisation); LD_LIBRARY_PATH makes the tool
load it. IVP_OPTIMISED_SUNDIALS is the folder where tools/build-sundials puts its own.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["IVP_SOURCE"], "tests", "cli"))
import tool  # noqa: E402

PACKAGED = os.environ.get("IVP_PACKAGED_SUNDIALS", "")
OPTIMISED = os.environ.get("IVP_OPTIMISED_SUNDIALS", "")
RUN = ["hires", "cvode", "--rtol", "1e-4"]
WARNING = "not comparable: SUNDIALS 6"

PLAN = """
name = "packaged"
problems = ["hires"]
solvers = ["cvode", "vode"]
rtol = [1e-4]
repeat = 1
"""


def flat(text):
    """Lines that were broken for the terminal as one."""
    return re.sub(r"\s+", " ", text)


class EveryBuild(unittest.TestCase):
    """Fields of the record, whichever library is loaded."""

    def test_a_record_names_library_kernels_and_instruction_set(self):
        r = tool.record(RUN)
        self.assertRegex(r["library"], r"^SUNDIALS \d+\.\d+\.\d+: libsundials_cvode\.so[.\d]* \(build-id [0-9a-f]{16}\), ")
        self.assertNotIn("/", r["library"].split(",")[0], "no path of this machine")
        self.assertGreater(r["library_slowdown"], 0)
        self.assertIn(r["build"]["kernels"], ["generic", "x86-64-v3", "x86-64-v4"])
        self.assertNotEqual(r["build"]["instruction_set"], "")

    def test_a_solver_of_ours_has_no_library(self):
        r = tool.record(["hires", "radau5", "--rtol", "1e-4"])
        self.assertEqual((r["library"], r["library_slowdown"]), ("", None))

    def test_the_record_names_the_kernels_that_were_asked_for(self):
        r = tool.record(["hires", "radau5", "--rtol", "1e-4"], env={"IVP_KERNELS": "generic"})
        self.assertEqual(r["build"]["kernels"], "generic")
        wrong = tool.run(["run", "hires", "dopri5", "--rtol", "1e-4"], env={"IVP_KERNELS": "z80"})
        self.assertEqual(wrong.code, 2, wrong)
        self.assertIn("z80", wrong.err)

    def test_other_kernels_are_another_run_for_the_store(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plan.toml"), "w", encoding="utf-8") as f:
                f.write(PLAN.replace('"cvode", ', ""))
            kernels = []
            for name in ("generic", ""):
                done = tool.run(["campaign", "plan.toml", "--db", "a.db"], cwd=folder, env={"IVP_KERNELS": name})
                self.assertEqual(done.code, 0, done)
                kernels.append(tool.record(["hires", "radau5", "--rtol", "1e-4"], env={"IVP_KERNELS": name})["build"]["kernels"])
            rows = tool.run(["query", "--db", "a.db", "SELECT DISTINCT kernels FROM runs ORDER BY id"], cwd=folder).out
            self.assertEqual(sorted(set(kernels)), sorted(line for line in rows.split() if line in kernels))


@unittest.skipUnless(PACKAGED, "the packaged SUNDIALS is not installed")
class Packaged(unittest.TestCase):
    """The library as the distribution has it."""

    ENV = {"LD_LIBRARY_PATH": PACKAGED}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_the_record_says_so(self):
        r = tool.record(RUN, env=self.ENV)
        file = os.path.realpath(os.path.join(PACKAGED, "libsundials_cvode.so"))
        notes = subprocess.run(["readelf", "-n", file], capture_output=True, text=True, check=True).stdout
        build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
        self.assertIn(f"{os.path.basename(file)} (build-id {build_id[:16]})", r["library"])
        self.assertGreaterEqual(r["library_slowdown"], 2.5)

    def test_run_wp_list_show_and_choose_warn(self):
        for args in (
            ["run", *RUN, "--repeat", "1"],
            ["wp", "hires", "--solvers", "vode,cvode", "--rtol", "1e-4", "--repeat", "1"],
            ["list", "solvers"],
            ["show", "cvode"],
            ["choose", "hires", "--digits", "2", "--budget", "20"],
        ):
            with self.subTest(command=args[0]):
                result = tool.run(args, env=self.ENV)
                self.assertEqual(result.code, 0, result)
                self.assertIn(WARNING, flat(result.out), result)
                self.assertIn("WARNING", result.out)

    def test_report_and_its_method_page_warn(self):
        folder = self.folder.name
        with open(os.path.join(folder, "plan.toml"), "w", encoding="utf-8") as f:
            f.write(PLAN)
        for args in (["campaign", "plan.toml", "--db", "a.db"], ["report", "--db", "a.db", "--out", "a.html", "--latex", "tex"]):
            done = tool.run(args, cwd=folder, env=self.ENV)
            self.assertEqual(done.code, 0, done)
        with open(os.path.join(folder, "a.html"), encoding="utf-8") as f:
            pages = re.split(r'<article class="page" id="', f.read())
        start = next(p for p in pages if p.startswith("start"))
        method = next(p for p in pages if p.startswith("method"))
        for page in (start, method):
            self.assertIn('<p class="warning">', page)
            self.assertIn(WARNING, page)
        self.assertRegex(method, r"<td>SUNDIALS 6[^<]*flags not known</td><td>cvode</td>")
        with open(os.path.join(folder, "tex", "report.tex"), encoding="utf-8") as f:
            self.assertIn(WARNING, flat(f.read()))


@unittest.skipUnless(os.path.exists(os.path.join(OPTIMISED, "ivp-build.txt")), "tools/build-sundials has built no optimised SUNDIALS")
class Optimised(unittest.TestCase):
    """The library that tools/build-sundials has built."""

    def test_it_is_loaded_named_and_not_warned_of(self):
        r = tool.record(RUN)
        with open(os.path.join(OPTIMISED, "ivp-build.txt"), encoding="utf-8") as f:
            self.assertIn(f.read().strip(), r["library"])
        self.assertIn("-O3", r["library"])
        self.assertLess(r["library_slowdown"], 2.5)
        self.assertNotIn("WARNING", tool.run(["run", *RUN, "--repeat", "1"]).out)

    @unittest.skipUnless(PACKAGED, "the packaged SUNDIALS is not installed")
    def test_counts_and_result_are_those_of_the_packaged_one(self):
        for solver in ("cvode", "ida", "arkode", "cvode-adams", "arkode-erk"):
            problem = "plei" if solver in ("cvode-adams", "arkode-erk") else "medakzo"
            with self.subTest(solver=solver):
                args = [problem, solver, "--rtol", "1e-4"]
                ours, packaged = tool.record(args), tool.record(args, env=Packaged.ENV)
                self.assertNotEqual(ours["library"], packaged["library"])
                for field in ("outcome", "steps", "accepted", "nfev", "njac", "nlu", "nsolve", "y"):
                    self.assertEqual(ours[field], packaged[field], field)


if __name__ == "__main__":
    unittest.main()
