"""Fortran modules and the Python binding say what the C headers say: the same constants, structs, fields and places of the fields."""

import ast
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
        found = {name: fields for name, fields in structs("ivp.h").items() if name != "ivp_settings"}  # which belongs to ivp_measure
        self.assertEqual(sorted(found), ["ivp_counts", "ivp_submission"])
        self.assertEqual(offsets_in_fortran("ivp_test", found), offsets_in_c(found))
        text = source("ivp_test.f90")
        for name, fields in found.items():  # the size is a number there, since a type cannot ask for its own
            size = next(int(line[2]) for line in offsets_in_c(found) if line[:2] == [name, "total"])
            self.assertIn(f"size = {size}", re.search(rf"bind\(C\) :: {name}(.*?)end type", text, flags=re.S)[1])
        for function in re.findall(r"IVP_EXPORT [\w ]+?\*? ?(ivp_test_\w+)\(", c_without_comments("ivp.h")):
            if function != "ivp_test_describe":
                self.assertIn(function, text)

    def test_the_structs_in_python(self):
        path = os.path.join(tool.setting("IVP_SOURCE"), "examples", "06_problems_in_python", "ivp.py")
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        wanted = [c.name for c in tree.body if isinstance(c, ast.ClassDef) and c.name.startswith("ivp_")]
        self.assertEqual(len(wanted), 6)
        # Without NumPy and without the library: the definitions of the structs are all that is needed.
        kept = [n for n in tree.body if (isinstance(n, ast.ClassDef) and n.name in [*wanted, "_Struct"]) or
                (isinstance(n, ast.FunctionDef) and n.name == "_fields") or
                (isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") in ("VERSION", "_vector", "_f", "_jacobian", "_other")) or
                (isinstance(n, (ast.Import, ast.ImportFrom)) and "numpy" not in ast.unparse(n))]
        names = {}
        exec(compile(ast.Module(kept, []), path, "exec"), names)  # pylint: disable=exec-used
        every = {**structs(), **structs("ivp.h")}
        for name, field, place in offsets_in_c({w: every[w] for w in wanted}):
            mine = names["ctypes"].sizeof(names[name]) if field == "total" else getattr(names[name], field).offset
            self.assertEqual(int(place), mine, f"{name}.{field}")


if __name__ == "__main__":
    unittest.main()
