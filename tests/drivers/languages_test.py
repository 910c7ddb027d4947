"""The Fortran modules say what the C headers say: the same constants, structs, fields and places of the fields; and a program solves with them."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cli"))
import tool  # noqa: E402

INCLUDE = os.path.join(tool.setting("IVP_SOURCE"), "include")


def source(name):
    with open(os.path.join(INCLUDE, "ivp", name), encoding="utf-8") as f:
        return f.read()


def c_without_comments(header):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", source(header), flags=re.S)


def structs(header="plugin.h"):
    """Name and fields of every struct of the contract."""
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", c_without_comments(header), flags=re.S):
        fields = [re.search(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])?$", part.strip()) for part in body.split(";") if part.strip()]
        found[name] = [m[1] or m[2] for m in fields]
    return found


def constants():
    names = re.findall(r"\b(IVP_[A-Z0-9_]+) = -?\d+", c_without_comments("plugin.h"))
    return sorted({*names, "IVP_PLUGIN_VERSION", "IVP_MESSAGE_SIZE"})


def output_of(compiler, ending, program, *more):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p" + ending), "w", encoding="utf-8") as f:
            f.write(program)
        for command in ([*compiler, "p" + ending, *more, "-o", "p"], ["./p"]):
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
            if done.returncode != 0:
                raise AssertionError(done.stdout)
        return [line.split() for line in done.stdout.splitlines()]


def offsets_in_c(found, named=()):
    lines = [f'printf("{name} {field} %zu\\n", offsetof({name}, {field}));' for name, fields in found.items() for field in fields]
    lines += [f'printf("{name} total %zu\\n", sizeof({name}));' for name in found]
    lines += [f'printf("constant {c.lower()} %d\\n", (int){c});' for c in named]
    program = "#include <ivp/ivp.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n"
    return output_of(["gcc", "-I", INCLUDE], ".c", program)


def offsets_in_fortran(module, found, named=()):
    declared, lines = [], []
    for name, fields in found.items():
        declared.append(f"type({name}), target :: x_{name}")
        for field in fields:
            place = f"x_{name}%{field}" + ("(1)" if field == "message" and name == "ivp_result" else "")
            lines.append(f'print "(a, i0)", "{name} {field} ", transfer(c_loc({place}), base) - transfer(c_loc(x_{name}), base)')
    lines += [f'print "(a, i0)", "{name} total ", c_sizeof(x_{name})' for name in found]
    lines += [f'print "(a, i0)", "constant {c.lower()} ", {c.lower()}' for c in named]
    program = (f"program p\nuse, intrinsic :: iso_c_binding\nuse {module}\nimplicit none\ninteger(c_intptr_t) :: base\n" + "\n".join(declared) +
               "\n" + "\n".join(lines) + "\nend program\n")
    library = tool.setting("IVP_LIBRARY")
    return output_of(["gfortran", "-ffree-line-length-none", os.path.join(INCLUDE, "ivp", module + ".f90")], ".f90", program, library,
                     "-Wl,-rpath," + os.path.dirname(library))


class Contract(unittest.TestCase):
    def test_the_plugin_contract_in_fortran(self):
        self.assertGreaterEqual(len(structs()), 8)
        self.assertGreater(len(constants()), 40)
        self.assertEqual(offsets_in_fortran("ivp_plugin", structs(), constants()), offsets_in_c(structs(), constants()))

    def test_the_interface_in_fortran(self):
        found = structs("ivp.h")
        self.assertEqual(sorted(found), ["ivp_counts", "ivp_settings", "ivp_submission"])
        self.assertEqual(offsets_in_fortran("ivp_test", found), offsets_in_c(found))
        text = source("ivp_test.f90")
        for name, fields in found.items():  # the size is a number there, since a type cannot ask for its own
            size = next(int(line[2]) for line in offsets_in_c(found) if line[:2] == [name, "total"])
            self.assertIn(f"size = {size}", re.search(rf"bind\(C\) :: {name}(.*?)end type", text, flags=re.S)[1])
        functions = re.findall(r"IVP_EXPORT [\w ]+?\*? ?(ivp_\w+)\(", c_without_comments("ivp.h"))
        self.assertGreater(len(functions), 50)
        for function in functions:
            self.assertRegex(text, rf"function {function}\(|subroutine {function}\(|name=\"{function}\"")

    def test_our_solvers_from_fortran(self):
        program = """
program p
    use, intrinsic :: iso_c_binding
    use ivp_test
    implicit none
    type(c_ptr) :: test, solvers(2), solution
    type(ivp_settings) :: settings
    real(c_double), allocatable :: t(:), y(:, :)
    real(c_double) :: between(8, 2), scd, mescd
    character(len=:), allocatable :: text
    integer(c_int64_t) :: points
    integer :: status

    test = ivp_open("hires")
    solvers = [ivp_solver_open("radau5"), ivp_solver_open("vode")]
    settings%rtol = 1e-6_c_double
    settings%repeat = 1
    solution = ivp_solve(test, solvers(1), settings, ivp_keep_dense, others="hmax=50")
    if (.not. c_associated(solution)) print "(a)", ivp_error()
    points = ivp_solution_size(solution)
    allocate (t(points), y(8, points))
    status = ivp_solution_points(solution, t, y, points)
    status = ivp_test_digits(test, settings%rtol, c_null_ptr, y(:, points), scd, mescd)
    print "(a, 2l2)", "digits ", mescd > 4, abs(t(points) - ivp_test_tend(test)) < 1e-12_c_double
    status = ivp_solution_at(solution, [100.0_c_double, t(3)], 2_c_int64_t, between)
    print "(a, i0, 2l2)", "dense ", status, maxval(abs(between(:, 2) - y(:, 3))) < 1e-14_c_double, between(6, 1) > 0.5_c_double
    print "(a, i0)", "refusal ", len(ivp_solver_refusal(solvers(1), test))
    text = ivp_measure_all(test, solvers, [1e-4_c_double, 1e-5_c_double], settings, "")
    print "(a, i0)", "records ", count([(text(status:status) == new_line("a"), status=1, len(text))])
    print "(a, l2)", "settings ", index(ivp_catalog_settings(), "hmax") > 0
    print "(a, l2)", "names ", ivp_catalog_id(0) == "hires" .and. ivp_catalog_solver(0) == "radau5"
    print "(a, l2)", "wrong ", c_associated(ivp_solver_open("radau6"))
    print "(a)", "error " // ivp_error()
    call ivp_solution_close(solution)
    print "(a, i0)", "closed ", ivp_solution_size(solution)
    call ivp_solver_close(solvers(1))
    call ivp_solver_close(solvers(2))
    call ivp_test_close(test)
end program
"""
        library = tool.setting("IVP_LIBRARY")
        lines = output_of(["gfortran", "-std=f2008", os.path.join(INCLUDE, "ivp", "ivp_test.f90")], ".f90", program, library,
                          "-Wl,-rpath," + os.path.dirname(library))
        said = {line[0]: line[1:] for line in lines}
        for name, answer in (("digits", ["T", "T"]), ("dense", ["0", "T", "T"]), ("refusal", ["0"]), ("settings", ["T"]), ("names", ["T"]),
                             ("wrong", ["F"]), ("closed", ["-1"])):
            self.assertEqual(said[name], answer, name)
        self.assertIn(said["records"], (["3"], ["4"]), "one a line")
        self.assertIn("'radau6';", said["error"])


if __name__ == "__main__":
    unittest.main()
