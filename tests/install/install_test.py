"""The installed package: a foreign project finds it and links with it, every header stands alone, nothing points back to the sources."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
import tool  # noqa: E402

SOURCE = tool.setting("IVP_SOURCE")
BUILD = tool.setting("IVP_BUILD")
FOREIGN = os.path.join(SOURCE, "tests", "install", "foreign")


def call(*command, **how):
    """Runs a command; a failure shows all it said."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **how)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\nended with exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


def cached(name):
    """A setting of the build under test, so that the foreign project uses the same compiler."""
    return re.search(rf"(?m)^{name}:[^=]*=(.*)$", text_of(BUILD, "CMakeCache.txt"))[1]


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def files_below(folder, *endings):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(endings))


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        first = os.path.join(cls.folder, "first")
        call("cmake", "--install", BUILD, "--prefix", first)
        # The package must work wherever it ends up, so it is moved once more.
        cls.prefix = os.path.join(cls.folder, "moved here")
        os.rename(first, cls.prefix)
        cls.include = os.path.join(cls.prefix, "include")

    def test_a_foreign_project_finds_it_builds_and_runs(self):
        source, build = os.path.join(self.folder, "foreign"), os.path.join(self.folder, "foreign-build")
        shutil.copytree(FOREIGN, source)
        call("cmake", "-S", source, "-B", build, "-G", cached("CMAKE_GENERATOR"), "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_COMPILER=" + cached("CMAKE_CXX_COMPILER"), "-DCMAKE_PREFIX_PATH=" + self.prefix)
        found = re.search(r"(?m)^ivp_DIR:PATH=(.*)$", text_of(build, "CMakeCache.txt"))[1]
        self.assertTrue(found.startswith(self.prefix), f"another package was found: {found}")
        call("cmake", "--build", build)
        self.assertRegex(call(os.path.join(build, "foreign")), r"^success: 42 steps, scd 0\.72")

    def test_a_program_in_c_needs_nothing_but_the_header_and_the_shared_library(self):
        library = os.path.dirname(files_below(self.prefix, "libivp_c.so")[0])
        program = os.path.join(self.folder, "explicit_pair")
        source = os.path.join(SOURCE, "examples", "04_problems_in_c", "explicit_pair.c")
        call(cached("CMAKE_C_COMPILER"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", self.include, "-o", program, source, "-L", library, "-livp_c", "-lm",
             "-Wl,-rpath," + library)
        self.assertRegex(call(program, "plei", "1e-6"), r"^plei, 28 equations, rtol 1e-06: 1032 steps")

    def test_a_problem_becomes_a_plug_in_with_and_without_avx(self):
        library = os.path.dirname(files_below(self.prefix, "libivp_problem.a")[0])
        source = os.path.join(SOURCE, "examples", "12_problem_template", "fisher.cpp")
        for flag in ("-mno-avx", "-mavx"):
            plugin = os.path.join(self.folder, f"fisher{flag}.so")
            call(cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-O1", flag, "-shared", "-fPIC", "-I", self.include, "-o", plugin, source, "-L", library, "-livp_problem",
                 "-lquadmath", "-Wl,--no-undefined")
            self.assertRegex(tool.run(["run", plugin, "radau5", "--rtol", "1e-4", "--repeat", "1"]).out, r"number of integration steps +30\n")

    def test_a_later_major_version_is_not_found(self):
        source = os.path.join(self.folder, "too-new")
        os.mkdir(source)
        with open(os.path.join(source, "CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write("cmake_minimum_required(VERSION 3.25)\nproject(too_new LANGUAGES CXX)\nfind_package(ivp 1.0 QUIET)\n"
                    'if(ivp_FOUND)\n  message(FATAL_ERROR "found")\nendif()\n')
        call("cmake", "-S", source, "-B", os.path.join(source, "build"), "-G", cached("CMAKE_GENERATOR"),
             "-DCMAKE_CXX_COMPILER=" + cached("CMAKE_CXX_COMPILER"), "-DCMAKE_PREFIX_PATH=" + self.prefix)

    def test_the_installed_tool_runs(self):
        installed = os.path.join(self.prefix, "bin", "ivp")
        self.assertEqual(call(installed, "--version"), tool.run(["--version"]).out)
        listing = call(installed, "run", "hires", "radau5", "--rtol", "1e-4", "--h0", "1e-6", "--repeat", "1", cwd=self.folder)
        self.assertRegex(listing, r"number of integration steps +42\n")

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "lib", "libstdtst.so")), "the libraries for Fortran are unavailable in this build")
    def test_the_libraries_for_fortran_are_there_and_work(self):
        kinds = [name + precision + dummy for name in ("nsdtst", "stdtst") for precision in ("", "_single") for dummy in ("", "_dummy")]
        found = {os.path.basename(path) for path in files_below(self.prefix, ".a", ".so")}
        self.assertLessEqual({f"lib{kind}{ending}" for kind in kinds for ending in (".a", ".so")} | {"libivp_detest.so"}, found)
        lib = os.path.dirname(next(path for path in files_below(self.prefix, ".so") if path.endswith("libivp_detest.so")))
        program = os.path.join(self.folder, "e3")
        call("gfortran", os.path.join(SOURCE, "examples", "07_detest_in_fortran", "secder.f"), "-o", program, "-L" + lib, "-lstdtst",
             "-Wl,-rpath," + lib)
        self.assertRegex(call(program), r"-2\.00 +\S+ +\S+ +91 +32 +24 +22 ")

    def test_every_public_header_is_installed(self):
        def names(folder):
            return [os.path.relpath(path, folder) for path in files_below(folder, ".h", ".hpp")]

        self.assertEqual(names(self.include), names(os.path.join(SOURCE, "include")))
        self.assertIn(os.path.join("ivp", "ivp.hpp"), names(self.include))

    def test_the_umbrella_header_includes_all_that_concern_every_user(self):
        umbrella = text_of(self.include, "ivp", "ivp.hpp")
        for path in files_below(os.path.join(self.include, "ivp"), ".hpp"):
            name = os.path.relpath(path, self.include)
            if name not in ("ivp/ivp.hpp", "ivp/export_problem.hpp"):  # the latter is for plug-ins only
                self.assertIn(f"#include <{name}>", umbrella)

    def test_every_header_compiles_alone(self):
        cxx = [cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", self.include]
        commands = [(*cxx, path) for path in files_below(self.include, ".h", ".hpp")]
        plugin = os.path.join(self.include, "ivp", "plugin.h")
        commands.append((cached("CMAKE_C_COMPILER"), "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-x", "c", plugin))
        self.assertGreater(len(commands), 15)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for _ in pool.map(lambda c: call(*c), commands):
                pass

    def test_nothing_points_back_to_the_sources(self):
        files = files_below(self.prefix, ".cmake", ".h", ".hpp")
        self.assertTrue(any(path.endswith("ivp-config.cmake") for path in files))
        self.assertTrue(any(path.endswith("ivp-targets.cmake") for path in files))
        for path in files:
            for place in (SOURCE, BUILD):
                self.assertNotIn(place, text_of(path), path)

    def test_the_licence_is_installed(self):
        self.assertEqual(len(files_below(os.path.join(self.prefix, "share"), "LICENSE")), 1)


class Readme(unittest.TestCase):
    """What the README shows of the use from CMake and C++ is what is tested here."""

    def test_the_snippets_are_those_of_the_foreign_project(self):
        readme = text_of(SOURCE, "README.md")
        for language, name in (("cmake", "CMakeLists.txt"), ("cpp", "main.cpp")):
            snippets = re.findall(rf"(?ms)^```{language}\n(.*?)^```$", readme)
            self.assertEqual(len(snippets), 1, f"README.md should show one {language} snippet")
            tested = {line.strip() for line in text_of(FOREIGN, name).splitlines()}
            for line in snippets[0].splitlines():
                self.assertIn(line.strip(), tested)


if __name__ == "__main__":
    unittest.main()
