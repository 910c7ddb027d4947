"""Fortran of the test set, both ways: problem files in, libraries for its drivers out, solvers in the classic style, its listing."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

SOURCE = tool.setting("IVP_SOURCE")
FILES = os.path.join(SOURCE, "tests", "drivers", "fortran")
CLASSIC = os.path.join(SOURCE, "tests", "drivers", "classic")
EXAMPLE = os.path.join(SOURCE, "examples", "09_classic_fortran")
GFORTRAN = shutil.which("gfortran")
EXPORTS = os.path.exists(os.path.join(tool.setting("IVP_BUILD"), "lib", "ivp", "export", "2006.so"))
COUNTS = ["steps", "accepted", "nfev", "njac", "nlu"]
TEST_SET = [name for name in tool.catalog("problems") if not name.startswith("detest-") and name not in tool.sized_problems()]

needs_gfortran = unittest.skipUnless(GFORTRAN, "gfortran is not installed (Debian: gfortran)")
needs_exports = unittest.skipUnless(EXPORTS, "this build has no libraries for 'ivp export'")


def text_of(name):
    with open(os.path.join(FILES, name), encoding="utf-8") as f:
        return f.read()


def line_of(text, part):
    """The line, from 1, in which the part stands first."""
    return text[:text.index(part)].count("\n") + 1


def without_additions_of_2_3(text):
    """A file of release 2.0, which had six routines."""
    for name in ("settolerances", "setoutput"):
        text = re.sub(rf"(?s)      subroutine {name}\(.*?\n      end\n", "", text)
    return re.sub(r"(?s)      integer function pidate\(\).*?\n      end\n", "", text)


class Cached(tool.Folder):
    """A folder of its own, with a cache of its own."""

    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("cache")}

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def copy(self, name, *changes):
        text = text_of(name)
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return self.write(name, text)

    def libraries(self):
        folder = os.path.join(self.path("cache"), "ivp", "fortran")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def ivp(self, *args, **env):
        return tool.run(list(args), env={**self.env, **env}, cwd=self.folder)


@needs_gfortran
class ProblemFiles(Cached):
    """Every format and class gives a problem like any other."""

    def record(self, *args):
        return tool.record(list(args), env=self.env, cwd=self.folder)

    def facts(self, path):
        result = self.ivp("show", path, "--format", "json")
        self.assertEqual(result.code, 0, result)
        return result.json()

    def test_ode_of_1996(self):
        r = self.record(os.path.join(FILES, "ode_1996.f"), "radau5", "--rtol", "1e-6", "--atol", "1e-6", "--h0", "1e-6")
        self.assertEqual((r["problem"], r["problem_origin"], r["form"], r["outcome"]), ("decay", "Fortran file", "ode", "success"))
        self.assertEqual((r["nfev_jac"], r["jacobian"]), (0, "exact"))
        self.assertGreater(r["mescd"], 6)

    def test_dae_of_1996(self):
        path = os.path.join(FILES, "dae_1996.f")
        self.assertEqual({k: self.facts(path)[k] for k in ("form", "dimension", "index", "mass")}, {"form": "dae", "dimension": 5, "index": 3, "mass": "diagonal"})
        r = self.record(path, "radau5", "--rtol", "1e-7", "--atol", "1e-7", "--h0", "1e-7")
        x, y, u, v, _ = r["y"]
        self.assertEqual(r["outcome"], "success")
        self.assertAlmostEqual(x * x + y * y, 1, 7)
        self.assertAlmostEqual((u * u + v * v) / 2 + y, 0, 5)
        self.assertIsNone(r["mescd"])  # solut sets nothing

    def test_ide_of_1996_with_bands(self):
        path = os.path.join(FILES, "ide_1996.f")
        self.assertEqual(self.facts(path)["jacobian"], "band 1,0")
        r = self.record(path, "pside", "--rtol", "1e-7", "--atol", "1e-7")
        self.assertEqual((r["form"], r["outcome"], r["nfev_jac"]), ("ide", "success", 0))
        self.assertGreater(r["mescd"], 6)

    def test_ode_of_release_2_0_with_a_breakpoint(self):
        path = os.path.join(FILES, "ode_2_0.f")
        facts = self.facts(path)
        self.assertEqual((facts["title"], facts["breakpoints"], facts["jacobian"]), ("Heated rod", [0.5], "band 1,1"))
        r = self.record(path, "radau5", "--rtol", "1e-6", "--atol", "1e-6", "--h0", "1e-6")
        self.assertEqual(r["outcome"], "success")
        self.assertLess(max(abs(y) for y in r["y"]), 1e-6)  # the heat is gone

    def test_dae_of_release_2_3_with_tolerances_of_its_own(self):
        path = os.path.join(FILES, "dae_2_3.f")
        facts = self.facts(path)
        self.assertEqual((facts["index"], facts["mass"]), (1, "band 1,0"))
        self.assertEqual(facts["quantity_of_interest"], "y(1), y(2) (setoutput)")
        r = self.record(path, "radau5", "--rtol", "1e-6", "--atol", "1e-6", "--h0", "1e-6")
        self.assertEqual(r["atol"], [1e-6, 1e-7, 1e-7])
        self.assertEqual(r["rtol"], [1e-6, 1e-6, 1e-6])
        self.assertAlmostEqual(r["y"][0], 2.718281828459045**-4, 6)

    def test_ide_of_release_2_3_without_matrices(self):
        r = self.record(os.path.join(FILES, "ide_2_3.f"), "dassl", "--rtol", "1e-7", "--atol", "1e-7")
        self.assertEqual((r["form"], r["outcome"], r["jacobian"]), ("ide", "success", "differences"))
        self.assertGreater(r["nfev_jac"], 0)
        self.assertGreater(r["mescd"], 5)

    def test_free_form_with_an_included_file(self):
        self.copy("rates.inc")
        path = self.copy("ode_2_3.f90")
        run = [path, "radau5", "--rtol", "1e-6", "--atol", "1e-6", "--h0", "1e-6"]
        first = self.record(*run)
        self.assertGreater(first["mescd"], 6)
        self.copy("rates.inc", ("50", "20"))
        self.assertNotEqual(self.record(*run)["y"], first["y"], "what it includes is part of the file")
        self.assertEqual(len(self.libraries()), 2)

    def test_every_class_in_the_format_of_release_2_0(self):
        for name, solver in (("dae_2_3.f", "radau5"), ("ide_2_3.f", "pside")):
            with self.subTest(file=name):
                path = self.write("old_" + name, without_additions_of_2_3(text_of(name)))
                run = ["--rtol", "1e-5", "--atol", "1e-5"]
                old, new = self.record(path, solver, *run), self.record(os.path.join(FILES, name), solver, *run)
                self.assertEqual(old["outcome"], "success")
                if name == "ide_2_3.f":
                    self.assertEqual([old[k] for k in COUNTS], [new[k] for k in COUNTS])

    def test_check_proves_what_the_files_claim(self):
        for name in sorted(os.listdir(FILES)):
            if name.endswith(".inc"):
                continue
            with self.subTest(file=name):
                result = self.ivp("check", os.path.join(FILES, name))
                self.assertEqual(result.code, 0, result)

    def test_a_wrong_jacobian_is_found(self):
        result = self.ivp("check", self.copy("ode_1996.f", ("jac(2,1) =  rate1", "jac(2,1) =  1.01d0*rate1")))
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.out, r"FAILED +Jacobian df/dy")

    def test_the_listing_says_whose_digits_they_are(self):
        result = self.ivp("run", os.path.join(FILES, "ode_1996.f"), "radau5", "--rtol", "1e-4", "--repeat", "1")
        self.assertIn("digits compared with solut of ode_1996.f: the file's own claim, not confirmed", result.out)
        self.assertIn("Solving problem decay (Fortran file) using RADAU5", result.out)

    def test_diagrams_and_choices_take_it(self):
        path = os.path.join(FILES, "ode_1996.f")
        wp = self.ivp("wp", path, "--solvers", "radau5,rodas", "--rtol", "1e-4,1e-6", "--repeat", "1")
        self.assertEqual(wp.code, 0, wp)
        self.assertIn("radau5", wp.out)

    def test_a_refusal_cuts_the_step(self):
        path = self.copy("dae_2_3.f", ("if (y(1)-y(2).gt.100d0) then", "if (t.gt.0d0 .and. y(3).lt.1.2d0) then"))
        result = self.ivp("run", path, "radau5", "--rtol", "1e-4", "--repeat", "1", "--max-steps", "2000")
        self.assertEqual(result.code, 1, result)  # the boundary of the domain is never passed

    def test_a_solver_is_no_problem(self):
        result = self.ivp("run", "hires", os.path.join(FILES, "ode_1996.f"), "--rtol", "1e-4")
        self.assertEqual(result.code, 2)
        self.assertIn("is a Fortran file; allowed: a problem", result.err)

    def test_a_file_has_no_parameters(self):
        result = self.ivp("run", os.path.join(FILES, "ode_1996.f"), "radau5", "--rtol", "1e-4", "--set", "k=1")
        self.assertEqual(result.code, 2)
        self.assertIn("'k'", result.err)

    def test_what_breaks_down_does_no_harm(self):
        path = self.copy("ode_1996.f", ("dy(3) =  rate2*y(2)", "stop 7"))
        result = self.ivp("run", path, "radau5", "--rtol", "1e-4")
        self.assertEqual(result.code, 2)
        self.assertRegex(result.err, r"Fortran file '.*ode_1996.f' crashes while it is loaded")


@needs_gfortran
class Faults(Cached):
    """What is wrong with a file is said with its line; the exit code is 2."""

    def refused(self, path, line, message):
        result = self.ivp("run", path, "radau5", "--rtol", "1e-4")
        self.assertEqual(result.code, 2, result)
        self.assertRegex(result.err, re.escape(f"{path}:{line}: ") + message)
        self.assertEqual([name for name in os.listdir(self.folder) if name not in ("cache", os.path.basename(path))], [])

    def test_faults_of_values(self):
        """(file, what is changed, by what, the routine that is named, what is said of it)"""
        cases = [
            ("ode_1996.f", "neqn   = 3", "neqn   = 0", "prob", "prob sets neqn = 0; allowed: 1 to 100000"),
            ("ode_1996.f", "      neqn   = 3\n", "", "prob", "prob leaves neqn unset"),
            ("ode_1996.f", "tend   = 2d0", "tend   = -2d0", "prob", r"prob sets tend = -2; allowed: finite times"),
            ("ode_1996.f", "ijac   = 1", "ijac   = 2", "prob", "prob sets ijac = 2; allowed: 0, 1"),
            ("ode_1996.f", "mljac  = neqn", "mljac  = 7", "prob", r"prob sets mljac = 7; allowed: 0 to 3 \(neqn: full\)"),
            ("ode_1996.f", "mljac  = neqn", "mljac  = 1", "prob", "prob leaves mujac unset, which a band matrix needs"),
            ("ode_1996.f", "y(3) = 0d0", "y(4) = 0d0", "init", r"init writes to y\(4\), but neqn = 3(.|\n)*init leaves y\(3\) unset"),
            ("ode_1996.f", "dy(3) =  rate2*y(2)", "dy(4) =  rate2*y(2)", "feval", r"feval writes to dy\(4\), but neqn = 3"),
            ("ode_1996.f", "y(3) = 1d0-y(1)-y(2)", "continue", "solut", r"solut leaves y\(3\) unset"),
            ("ode_1996.f", "jac(ldim,neqn)", "jac(3,neqn)", "jeval", "jeval ignores ldim: called with ldim = 6 for a matrix of 3 rows"),
            ("ode_1996.f", "jac(3,2) =  rate2", "jac(4,3) =  rate2", "jeval", "jeval ignores ldim: called with ldim = 3.*writes outside"),
            ("dae_1996.f", "ind3   = 1", "ind3   = 2", "prob", r"prob sets ind1 = 2, ind2 = 2, ind3 = 2; allowed: ind1 > 0 and ind1 \+ ind2 \+ ind3 = neqn = 5"),
            ("dae_1996.f", "ind1   = 2", "ind1   = 0", "prob", "prob sets ind1 = 0"),
            ("dae_1996.f", "incon = 1", "continue", "init", "init leaves incon unset"),
            ("dae_1996.f", "am(1,i) = 1d0", "am(2,i) = 1d0", "mas", "mas ignores ldim"),
            ("ide_1996.f", "dgddy(2,2) = 0d0", "dgddy(3,2) = 0d0", "jeval", "jeval ignores ldim"),
            ("ode_2_0.f", "type   = 'ODE'", "type   = 'BVP'", "prob", "prob sets type = 'BVP'; allowed: 'ODE', 'DAE', 'IDE'"),
            ("ode_2_0.f", "t(1)   = 0.5d0", "continue", "prob", r"prob leaves t\(1\) unset"),
            ("ode_2_0.f", "t(1)   = 0.5d0", "t(1)   = 3d0", "prob", r"prob sets t\(2\) = 2; allowed"),
            ("ode_2_0.f", "ndisc  = 1", "ndisc  = -1", "prob", "prob sets ndisc = -1; allowed: 0 to 999"),
            ("dae_2_3.f", "pidate = 20060828", "pidate = 19991231", "pidate", "pidate gives 19991231; allowed: 20060828"),
            ("dae_2_3.f", "ind(i) = 0", "ind(i) = 4", "prob", r"prob sets ind\(1\) = 4; allowed: 0 to 3"),
            ("dae_2_3.f", "do 10 i=1,neqn\n         ind(i)", "do 10 i=1,2\n         ind(i)", "prob", r"prob leaves ind\(3\) unset"),
            ("dae_2_3.f", "mumas  = 0", "mumas  = 3", "prob", "prob sets mumas = 3; allowed: 0 to 2"),
            ("dae_2_3.f", "atol(i) = 1d-1*atol(1)", "atol(1) = 1d-1", "settolerances", r"settolerances leaves atol\(2\) unset"),
            ("dae_2_3.f", "indsol(2)   = 2", "indsol(2)   = 9", "setoutput", r"setoutput sets indsol\(2\) = 9; allowed: 1 to neqn = 3"),
        ]
        for name, old, new, routine, message in cases:
            with self.subTest(file=name, change=new or old):
                path = self.copy(name, (old, new))
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                head = "function pidate" if routine == "pidate" else f"subroutine {routine}("
                self.refused(path, line_of(text, head), message)
                os.remove(path)

    def test_missing_and_wrong_routines(self):
        text = text_of("ode_1996.f")
        path = self.write("x.f", text.replace("subroutine feval(", "subroutine other("))
        self.refused(path, line_of(text, "subroutine prob("), re.escape("the file has no routine feval(neqn,t,y,dy), which the format of 1996 for ODEs has"))
        path = self.write("x.f", text.replace("subroutine jeval(", "subroutine other("))
        self.refused(path, line_of(text, "subroutine prob("), "prob sets ijac = 1, but the file has no subroutine jeval")
        path = self.write("x.f", text.replace("subroutine init(neqn,y)", "subroutine init(neqn,t,y)"))
        self.refused(path, line_of(text, "subroutine init("), "init has 3 arguments; the format of 1996 for ODEs has 2: neqn,y")

    def test_compile_errors_have_the_line_and_the_message_of_gfortran(self):
        text = text_of("ode_1996.f")
        path = self.write("x.f", text.replace("dy(1) = -rate1*y(1)", "dy(1) = -rate1*y(1"))
        self.refused(path, line_of(text, "dy(1) = -rate1"), "gfortran: Invalid form of array reference")
        path = self.write("x.f", text.replace("dy(1) = -rate1*y(1)", "call nowhere(y)"))
        self.refused(path, line_of(text, "dy(1) = -rate1"), "the file calls nowhere and does not define it")

    def test_what_a_file_includes_has_a_limit(self):
        path = self.write("x.f", text_of("ode_1996.f").replace("      integer neqn\n", "      integer neqn\n      include 'a.inc'\n", 1))
        self.write("a.inc", "".join(f"      include '{'./' * k}a.inc'\n" for k in range(25)) * 200)  # itself, by many names
        result = self.ivp("run", path, "radau5", "--rtol", "1e-4")
        self.assertEqual(result.code, 2, result)
        os.mkdir(self.path("b"))
        self.write("a.inc", "".join(f"      include 'b/{k}'\n" for k in range(1001)))
        for k in range(1001):
            self.write(f"b/{k}", "c     nothing\n")
        result = self.ivp("run", path, "radau5", "--rtol", "1e-4")
        self.assertEqual(result.code, 2, result)
        self.assertIn("x.f' includes more than 1000 files; allowed: up to this number", result.err)
        for name, said in [("a.inc", "a.inc' has more than 16 MB"), ("x.f", "x.f' has more than 16 MB")]:
            os.truncate(self.path(name), 1 << 40)  # a file of holes
            result = self.ivp("run", path, "radau5", "--rtol", "1e-4")
            self.assertEqual(result.code, 2, result)
            self.assertIn(said, result.err)

    def test_a_message_of_any_length_is_a_message(self):
        name = "x" * 200000
        path = self.write("x.F", f'# 1 "{name}"\n' + text_of("ode_1996.f").replace("dy(1) = -rate1*y(1)", "dy(1) = -rate1*y(1"))
        result = self.ivp("run", path, "radau5", "--rtol", "1e-4")
        self.assertEqual(result.code, 2, result)
        self.assertRegex(result.err, r"^ivp: x{200,}…:\d+: gfortran: Invalid form of array reference")

    def test_there_is_no_such_file(self):
        result = self.ivp("run", "./nothing.f", "radau5", "--rtol", "1e-4")
        self.assertEqual(result.code, 2)
        self.assertIn("Fortran file './nothing.f': there is no such file", result.err)

    def test_without_gfortran_the_package_is_named(self):
        result = self.ivp("run", os.path.join(FILES, "ode_1996.f"), "radau5", "--rtol", "1e-4", PATH=self.folder)
        self.assertEqual(result.code, 3, result)
        self.assertIn("Debian: gfortran", result.err)


@needs_gfortran
class Cache(Cached):
    """A file is compiled once, wherever the user's folder is."""

    def counting_compiler(self):
        """A gfortran that keeps a log of what it compiles."""
        folder = self.path("bin")
        os.mkdir(folder)
        script = os.path.join(folder, "gfortran")
        with open(script, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\ncase "$*" in *-shared*) echo compiled >>{self.path("log")} ;; esac\nexec {GFORTRAN} "$@"\n')
        os.chmod(script, 0o755)
        return {"PATH": folder + ":" + os.environ["PATH"]}

    def compiled(self):
        if not os.path.exists(self.path("log")):
            return 0
        with open(self.path("log"), encoding="utf-8") as f:
            return len(f.readlines())

    def test_once_for_each_content(self):
        env = self.counting_compiler()
        path = self.copy("ode_1996.f")
        run = ["run", path, "radau5", "--rtol", "1e-4", "--repeat", "1"]
        for _ in range(2):
            self.assertEqual(self.ivp(*run, **env).code, 0)
        self.assertEqual(self.compiled(), 1)
        self.copy("ode_1996.f", ("rate2  = 50d0", "rate2  = 60d0"))
        self.assertEqual(self.ivp(*run, **env).code, 0)
        self.assertEqual(self.compiled(), 2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bin", "cache", "log", "ode_1996.f"])
        self.assertEqual([name[-3:] for name in self.libraries()], [".so", ".so"])

    def test_several_at_the_same_time(self):
        path = self.copy("ode_1996.f")
        tries = [subprocess.Popen([tool.TOOL, "run", path, "radau5", "--rtol", "1e-4", "--repeat", "1", "--format", "json"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **self.env}) for _ in range(4)]
        records = []
        for t in tries:
            out, err = t.communicate(timeout=tool.TIME_LIMIT_S)
            self.assertEqual(t.returncode, 0, err)
            records.append(json.loads(out)["y"])
        self.assertEqual(records, [records[0]] * 4)
        self.assertEqual(len(self.libraries()), 1)

    def test_old_libraries_go(self):
        folder = os.path.join(self.path("cache"), "ivp", "fortran")
        os.makedirs(folder)
        long_ago = 1e9
        for k in range(265):
            name = os.path.join(folder, f"{k:064}.so")
            with open(name, "w", encoding="utf-8"):
                pass
            os.utime(name, (long_ago + k, long_ago + k))
        os.mkdir(os.path.join(folder, "build-gone"))
        os.utime(os.path.join(folder, "build-gone"), (long_ago, long_ago))
        self.assertEqual(self.ivp("run", self.copy("ode_1996.f"), "radau5", "--rtol", "1e-4", "--repeat", "1").code, 0)
        left = self.libraries()
        self.assertEqual(len(left), 256)
        self.assertNotIn("build-gone", left)
        self.assertNotIn(f"{9:064}.so", left)
        self.assertIn(f"{10:064}.so", left)


@needs_gfortran
class TwoFilesInOneCampaign(Cached):
    """The same names of routines and of a COMMON block, with other numbers in it."""

    def test_they_do_not_disturb_each_other(self):
        changes = [("'decay'", "'slow'"), ("rate2  = 50d0", "rate2  = 5d0")]
        text = text_of("ode_1996.f")
        self.write("fast.f", text)
        for old, new in changes:
            text = text.replace(old, new)
        self.write("slow.f", text)
        self.write("plan.toml", 'name = "two"\nproblems = ["./fast.f", "./slow.f"]\nsolvers = ["radau5", "rodas"]\nrtol = [1e-4, 1e-6]\nrepeat = 2\n')
        result = self.ivp("campaign", "plan.toml", "--db", "two.db", "--jobs", str(min(2, len(os.sched_getaffinity(0)))))
        self.assertEqual(result.code, 0, result)
        stored = [json.loads(line) for line in self.ivp("records", "--db", "two.db", "--jsonl").out.splitlines()]
        self.assertEqual(len(stored), 8)
        for r in stored:
            self.assertEqual(r["outcome"], "success")
            alone = tool.record([f"./{'fast' if r['problem'] == 'decay' else 'slow'}.f", r["solver"], "--rtol", repr(r["rtol"])], env=self.env, cwd=self.folder)
            self.assertEqual((r["y"], [r[k] for k in COUNTS]), (alone["y"], [alone[k] for k in COUNTS]))
            self.assertGreater(r["mescd"], 3)


def fortran_text(text, length):
    return ctypes.create_string_buffer(text.ljust(length).encode(), length)


class Library2006:
    """An exported library as a driver of release 2.3 calls it."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        integer, real = ctypes.c_int32, ctypes.c_double
        texts = [fortran_text("", n) for n in (40, 8, 3)]
        values = {k: integer(-99) for k in ("neqn", "ndisc", "numjac", "mljac", "mujac", "nummas", "mlmas", "mumas")}
        t, ind = (real * 200)(), (integer * 1000)()
        refs = {k: ctypes.byref(v) for k, v in values.items()}
        self.lib.prob_(*texts, refs["neqn"], refs["ndisc"], t, refs["numjac"], refs["mljac"], refs["mujac"], refs["nummas"], refs["mlmas"], refs["mumas"], ind,
                       ctypes.c_size_t(40), ctypes.c_size_t(8), ctypes.c_size_t(3))
        self.full, self.short, self.type = (x.raw.decode() for x in texts)
        self.facts = {k: v.value for k, v in values.items()}
        self.n = self.facts["neqn"]
        self.t = list(t[:self.facts["ndisc"] + 2])
        self.ind = list(ind[:self.n])
        y, yp, consistent = (real * self.n)(), (real * self.n)(), integer(-1)
        self.lib.init_(ctypes.byref(integer(self.n)), ctypes.byref(real(self.t[0])), y, yp, ctypes.byref(consistent))
        self.y, self.yp, self.consistent = list(y), list(yp), consistent.value

    def feval(self, t, y, yp):
        """With one array for y' and f, as drivers call it."""
        real, integer = ctypes.c_double, ctypes.c_int32
        shared, ierr = (real * self.n)(*yp), integer(0)
        self.lib.feval_(ctypes.byref(integer(self.n)), ctypes.byref(real(t)), (real * self.n)(*y), shared, shared, ctypes.byref(ierr), None, None)
        return list(shared), ierr.value

    def matrix(self, name, rows, ld, t, y, yp):
        """The part of the matrix that belongs to it; everything else must stay as it was."""
        real, integer = ctypes.c_double, ctypes.c_int32
        mark, margin = 7.25e77, 50
        out, ierr = (real * (ld * self.n + margin))(*[mark] * (ld * self.n + margin)), integer(0)
        getattr(self.lib, name)(ctypes.byref(integer(ld)), ctypes.byref(integer(self.n)), ctypes.byref(real(t)), (real * self.n)(*y), (real * self.n)(*yp), out,
                                ctypes.byref(ierr), None, None)
        assert ierr.value == 0
        columns = [list(out[j * ld:j * ld + ld]) for j in range(self.n)]
        assert all(v == mark for c in columns for v in c[rows:]) and all(v == mark for v in out[ld * self.n:]), "written where nothing belongs"
        return [c[:rows] for c in columns]

    def solution(self):
        real, integer = ctypes.c_double, ctypes.c_int32
        y = (real * self.n)()
        self.lib.solut_(ctypes.byref(integer(self.n)), ctypes.byref(real(self.t[-1])), y)
        return list(y)


@needs_exports
class Export(Cached):
    """`ivp export ID --fortran DIR` for all problems of the test set."""

    def export(self, name, *args):
        result = self.ivp("export", name, "--fortran", "out", *args)
        self.assertEqual(result.code, 0, result)
        suffix = "_1996" if "1996" in args else ""
        return os.path.join(self.folder, "out", f"lib{name}{suffix}.so")

    def test_all_problems_answer_the_routines(self):
        self.assertEqual(len(TEST_SET), 24)
        for name in TEST_SET:
            with self.subTest(problem=name):
                facts = tool.run(["show", name, "--format", "json"]).json()
                modern = Library2006(self.export(name))
                self.answers_the_routines_of_2006(name, facts, modern)
                self.answers_the_routines_of_1996(name, facts, modern)

    def answers_the_routines_of_2006(self, name, facts, p):
        names = {"chemakzo_ode": "chemakzo", "chemakzo_dae": "chemakzo"}
        self.assertEqual(p.type.lower(), facts["form"])
        self.assertEqual(p.short.rstrip(), names.get(name, name))
        self.assertEqual(p.n, facts["dimension"])
        self.assertEqual(len(p.t), len(facts["breakpoints"]) + 2)
        self.assertEqual(p.t, sorted(p.t))
        if facts["form"] != "ode":
            self.assertEqual(max(p.ind), max(facts["index"], 1))
        slope, ierr = p.feval(p.t[0], p.y, p.yp)
        self.assertEqual(ierr, 0)
        full = p.facts["mljac"] == p.n
        rows = p.n if full else p.facts["mljac"] + p.facts["mujac"] + 1
        jacobian = p.matrix("jeval_", rows, rows + 2, p.t[0], p.y, p.yp)
        self.assertEqual(jacobian, p.matrix("jeval_", rows, rows, p.t[0], p.y, p.yp))
        if facts["form"] == "ode":
            self.assertEqual(p.yp, slope)
            return
        mass_full = p.facts["mlmas"] == p.n
        mass_rows = p.n if mass_full else p.facts["mlmas"] + p.facts["mumas"] + 1
        m = p.matrix("meval_", mass_rows, mass_rows + 1, p.t[0], p.y, p.yp)
        if facts["form"] == "dae" and p.consistent:
            product, differential = [0.0] * p.n, [False] * p.n
            for j in range(p.n):
                for i in range(p.n):
                    row = i if mass_full else i - j + p.facts["mumas"]
                    if 0 <= row < mass_rows and m[j][row] != 0:
                        product[i] += m[j][row] * p.yp[j]
                        differential[i] = True
            scale = max(max(map(abs, slope)), max(map(abs, product)))
            for a, b, d in zip(product, slope, differential):
                self.assertLess(abs(a - b), max(1e-4 * scale, 1e-6) if d else 1e-5)
        if facts["form"] == "ide" and p.consistent:
            self.assertLess(max(map(abs, slope)), 1e-5)
        self.assertTrue(any(p.solution()))

    def answers_the_routines_of_1996(self, name, facts, modern):
        integer, real, form = ctypes.c_int32, ctypes.c_double, facts["form"]
        lib = ctypes.CDLL(self.export(name, "--generation", "1996"))
        text, numbers = fortran_text("", 8), [integer(-99) for _ in range(9)]
        begin, end = real(), real()
        counts = {"ode": 3, "dae": 8, "ide": 6}[form]
        lib.prob_(text, ctypes.byref(numbers[0]), ctypes.byref(begin), ctypes.byref(end), *[ctypes.byref(x) for x in numbers[1:1 + counts]], ctypes.c_size_t(8))
        n = numbers[0].value
        self.assertEqual((n, begin.value, end.value), (modern.n, modern.t[0], modern.t[-1]))
        self.assertEqual(numbers[1].value, 0 if modern.facts["numjac"] else 1)
        y, dy, out = (real * n)(), (real * n)(), (real * n)()
        if form == "ode":
            lib.init_(ctypes.byref(integer(n)), y)
        else:
            lib.init_(ctypes.byref(integer(n)), y, dy, ctypes.byref(integer()))
            self.assertEqual(sum(x.value for x in numbers[counts - 2:counts + 1]), n)
        self.assertEqual(list(y), modern.y)
        expected, _ = modern.feval(begin.value, modern.y, modern.yp)
        if form == "ide":
            lib.geval_(ctypes.byref(integer(n)), ctypes.byref(begin), y, dy, out)
        else:
            lib.feval_(ctypes.byref(integer(n)), ctypes.byref(begin), y, out)
        self.assertEqual(list(out), expected)

    def test_the_folder_has_a_library_and_a_page(self):
        self.export("hires")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["README.md", "libhires.so"])
        shown = subprocess.run(["nm", "-D", "--defined-only", os.path.join(self.path("out"), "libhires.so")], capture_output=True, text=True, check=True).stdout
        self.assertEqual(sorted(line.split()[-1] for line in shown.splitlines()),
                         ["feval_", "init_", "jeval_", "meval_", "pidate_", "prob_", "setoutput_", "settolerances_", "solut_"])
        self.export("hires")  # what is ours is replaced
        self.write("out/README.md", "mine\n")
        result = self.ivp("export", "pollu", "--fortran", "out")
        self.assertEqual(result.code, 2)
        self.assertIn("README.md' was not written by ivp", result.err)
        self.assertEqual(self.ivp("export", "pollu", "--fortran", "out", "--force").code, 0)

    def test_a_pipe_in_the_place_of_the_library_is_refused(self):
        os.mkdir(self.path("out"))
        os.mkfifo(self.path("out/libhires.so"))
        result = self.ivp("export", "hires", "--fortran", "out")
        self.assertEqual(result.code, 2, result)
        self.assertIn("libhires.so': it is not a plain file", result.err)
        self.assertEqual(os.listdir(self.path("out")), ["libhires.so"])

    def test_a_file_of_any_size_in_its_place_stays(self):
        os.mkdir(self.path("out"))
        with open(self.path("out/libhires.so"), "wb") as f:
            f.truncate(1 << 40)
        result = self.ivp("export", "hires", "--fortran", "out")
        self.assertEqual(result.code, 2, result)
        self.assertIn("libhires.so' was not written by ivp", result.err)

    def test_parameters_forms_and_jacobians(self):
        p = Library2006(self.export("transamp", "--form", "ide", "--jacobian", "exact"))
        self.assertEqual((p.type, p.facts["numjac"], p.facts["nummas"]), ("IDE", 0, 0))
        residual, _ = p.feval(p.t[0], p.y, p.yp)
        self.assertLess(max(map(abs, residual)), 1e-7)
        slow = Library2006(self.export("vdpol", "--set", "eps=1e-2"))
        self.assertNotEqual(slow.feval(0.0, [2.0, 1.0], [0.0, 0.0]), Library2006(self.export("vdpolm")).feval(0.0, [2.0, 1.0], [0.0, 0.0]))

    def test_wrong_use(self):
        for args, message in ((["hires"], "nothing to write is given; allowed: --to LANGUAGE or --fortran DIR"),
                              (["nobody", "--fortran", "out"], "'nobody' given; allowed: a problem of the test set"),
                              (["detest-s-a1", "--fortran", "out"], "allowed: a problem of the test set"),
                              (["hires", "--fortran", "out", "--generation", "1977"], "'1977' given; allowed: 1996, 2006"),
                              (["hires", "--fortran", "out", "--form", "dae"], "--form"),
                              (["hires", "--fortran", "out", "--set", "nothing=1"], "'nothing'")):
            with self.subTest(args=args):
                result = self.ivp("export", *args)
                self.assertEqual(result.code, 2, result)
                self.assertIn(message, result.err)
                self.assertFalse(os.path.exists(self.path("out")))


@needs_gfortran
@needs_exports
class ClassicSolver(Cached):
    """The solver of examples/09_classic_fortran as a plug-in, and in a driver linked with exported problems: the same counts."""

    def setUp(self):
        super().setUp()
        self.compile("-O2", "-std=legacy", "-fPIC", "-ffp-contract=off", "-c", os.path.join(EXAMPLE, "ros3.f"))

    def compile(self, *words):
        done = subprocess.run([GFORTRAN, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def driver(self, problem, answers):
        self.assertEqual(self.ivp("export", problem, "--fortran", "out", "--jacobian", "exact").code, 0)
        self.compile("-O2", "-std=legacy", "-ffp-contract=off", "-o", problem, os.path.join(EXAMPLE, "driver.f"), "ros3.o", "-Lout", "-l" + problem,
                     "-Wl,-rpath," + self.path("out"))
        done = subprocess.run([self.path(problem)], input=answers, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counts = [int(x) for x in re.findall(r"number of .* (\d+)\n", done.stdout)]
        return dict(zip(COUNTS, counts)), float(re.search(r"mixed error +(\S+)", done.stdout).group(1)), done.stdout

    def plug_in(self, name, wrapper):
        """The library of this solver and its wrapper."""
        self.compile("-O2", "-fPIC", "-shared", "-o", name + ".so", os.path.join(SOURCE, "include", "ivp", "ivp_plugin.f90"), wrapper, name + ".o")
        return "./" + name + ".so"

    def test_plug_in_and_driver_agree(self):
        self.plug_in("ros3", os.path.join(EXAMPLE, "ros3_plugin.f90"))
        for problem in ("hires", "emep", "medakzo"):  # full, with breakpoints, as a band
            with self.subTest(problem=problem):
                counts, digits, _ = self.driver(problem, "1d-4 1d-4 1d-6\n")
                r = tool.record([problem, "./ros3.so", "--rtol", "1e-4", "--atol", "1e-4", "--h0", "1e-6", "--repeat", "1"],
                                cwd=self.folder)
                self.assertEqual({k: r[k] for k in COUNTS}, counts)
                self.assertAlmostEqual(r["mescd"], digits, 1)
        by_differences = tool.record(["hires", "./ros3.so", "--rtol", "1e-4", "--jacobian", "differences"], cwd=self.folder)
        self.assertEqual(by_differences["nfev_jac"], 8 * by_differences["njac"])

    def test_the_wrapper_has_about_forty_lines(self):
        with open(os.path.join(EXAMPLE, "ros3_plugin.f90"), encoding="utf-8") as f:
            lines = [line for line in f if line.strip() and not line.lstrip().startswith("!")]
        self.assertLessEqual(len(lines), 42)

    def test_the_wrapper_tells_how_the_solver_ended(self):
        ros3 = self.plug_in("ros3", os.path.join(EXAMPLE, "ros3_plugin.f90"))
        few = tool.run(["run", "hires", ros3, "--rtol", "1e-5", "--max-steps", "10", "--format", "json"], cwd=self.folder)
        self.assertEqual((few.code, few.json()["outcome"], few.json()["steps"]), (1, "too_many_steps", 10))
        # A large first step leaves the domain of a root: refused, and tried again with a smaller one.
        cut = tool.record(["chemakzo_ode", ros3, "--rtol", "1e-1", "--atol", "1e-1", "--h0", "1"], cwd=self.folder)
        self.assertEqual(cut["outcome"], "success")
        self.assertGreater(cut["extra"]["refused_evaluations"], 0)
        self.assertGreater(cut["steps"], cut["accepted"])

    def test_one_step_mode(self):
        """A solver for G = 0 that returns after each step, and forms its Jacobians by differences."""
        self.compile("-O2", "-std=legacy", "-fPIC", "-ffp-contract=off", "-c", os.path.join(CLASSIC, "euler1.f"))
        euler1 = self.plug_in("euler1", os.path.join(CLASSIC, "euler1_plugin.f90"))
        for problem in (["hires", "--form", "ide"], ["chemakzo_dae", "--form", "ide"], ["nand"]):  # an ODE, a DAE with a domain, an IDE with breakpoints
            with self.subTest(problem=problem[0]):
                r = tool.record([*problem, euler1, "--rtol", "1e-3", "--h0", "1e-6"], cwd=self.folder)
                self.assertEqual(r["outcome"], "success")
                self.assertGreater(r["mescd"], 2)
                self.assertEqual(r["nfev_jac"], r["dimension"] * r["njac"])
                self.assertEqual(r["njac"], r["nlu"])
                self.assertEqual(r["steps"], r["accepted"] + r["rejected"])
        few = tool.run(["run", "hires", euler1, "--form", "ide", "--rtol", "1e-3", "--h0", "1e-6", "--max-steps", "10", "--format", "json"], cwd=self.folder)
        self.assertEqual((few.code, few.json()["outcome"]), (1, "too_many_steps"))

    def test_a_dae_through_the_driver(self):
        _, digits, text = self.driver("transamp", "1d-4 1d-4 1d-7\n")
        self.assertIn("Solving Transistor Amplifier", text)
        self.assertGreater(digits, 3)

    def test_the_driver_takes_files_of_the_same_format(self):
        self.compile("-O2", "-std=legacy", "-o", "rectifier", os.path.join(EXAMPLE, "driver.f"), "ros3.o", os.path.join(FILES, "dae_2_3.f"))
        done = subprocess.run([self.path("rectifier")], input="1d-5 1d-5 1d-5\n", cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertIn("Solving Problem RECTIFIER", done.stdout, done.stderr)


class OriginalListing(Cached):
    """`ivp run --listing original`."""

    def test_words_numbers_and_columns(self):
        result = self.ivp("run", "hires", "radau5", "--rtol", "1e-4", "--atol", "1e-4", "--h0", "1e-6", "--repeat", "1", "--listing", "original")
        self.assertEqual(result.code, 0, result)
        lines = result.out.splitlines()
        self.assertEqual(lines[:19], [
            "Solving Problem HIRES using RADAU5", "", "User input:", "", "give relative error tolerance: 1d-04", "give absolute error tolerance: 1d-04",
            "give initial stepsize: 1d-06", "", "Numerical solution:", "",
            "                                             scd",
            "       solution component              ----------------   ignore",
            "                                        abs        rel",
            "---------------------------------      -----      -----   ------",
            *lines[14:19]])
        self.assertRegex(lines[14], r"^y\(  1\) =   0\.\d{16}E-03 {7}\d\.\d\d {7}\d\.\d\d$")
        rest = "\n".join(lines[22:])
        self.assertRegex(rest, r"^\nused components for scd {20}8 {10}8\nscd of Y \(maximum norm\) {17}\d\.\d\d {7}0\.72\nusing relative error yields scd {20}0\.72\n\n"
                               r"Integration characteristics:\n\n   number of integration steps {9}42\n   number of accepted steps {12}33\n"
                               r"   number of f evaluations {12}333\n   number of Jacobian evaluations {6}21\n   number of LU decompositions {9}41\n\n"
                               r"CPU-time used: {26}0\.\d\d sec$")

    def test_ignored_components_and_other_solvers(self):
        text = self.ivp("run", "plei", "dopri5", "--rtol", "1e-6", "--atol", "1e-6", "--repeat", "1", "--listing", "original").out
        self.assertRegex(text, r"(?m)^y\( 15\) = .{24}.{27}y$")
        self.assertNotRegex(text, r"(?m)^y\( 14\) = .* y$")
        dassl = self.ivp("run", "hires", "dassl", "--rtol", "1e-4", "--repeat", "1", "--listing", "original").out
        self.assertNotIn("LU decompositions", dassl)

    def test_a_failed_run(self):
        result = self.ivp("run", "hires", "radau5", "--rtol", "1e-4", "--max-steps", "3", "--listing", "original")
        self.assertEqual(result.code, 1)
        self.assertRegex(result.out, r"(?m)^ERROR: too_many_steps: ")

    def test_wrong_use(self):
        result = self.ivp("run", "hires", "radau5", "--rtol", "1e-4", "--listing", "original", "--format", "json")
        self.assertEqual(result.code, 2)
        self.assertIn("--listing: 'original' given with --format json", result.err)
        self.assertEqual(self.ivp("run", "hires", "radau5", "--rtol", "1e-4", "--listing", "new").code, 2)


if __name__ == "__main__":
    unittest.main()
