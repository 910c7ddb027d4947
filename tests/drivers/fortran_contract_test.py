"""The module ivp_plugin says in Fortran what plugin.h says in C: the same constants, structs, fields and places of the fields."""

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


def c_without_comments():
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", source("plugin.h"), flags=re.S)


def structs():
    """Name and fields of every struct of the contract."""
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", c_without_comments(), flags=re.S):
        fields = [re.search(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])?$", part.strip()) for part in body.split(";") if part.strip()]
        found[name] = [m[1] or m[2] for m in fields]
    return found


def constants():
    names = re.findall(r"\b(IVP_[A-Z0-9_]+) = -?\d+", c_without_comments())
    return sorted({*names, "IVP_PLUGIN_VERSION", "IVP_MESSAGE_SIZE"})


def output_of(compiler, ending, program, *more):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p" + ending), "w", encoding="utf-8") as f:
            f.write(program)
        for command in ([*compiler, *more, "p" + ending, "-o", "p"], ["./p"]):
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
            if done.returncode != 0:
                raise AssertionError(done.stdout)
        return [line.split() for line in done.stdout.splitlines()]


class Contract(unittest.TestCase):
    def in_c(self):
        lines = [f'printf("{name} {field} %zu\\n", offsetof({name}, {field}));' for name, fields in structs().items() for field in fields]
        lines += [f'printf("{name} size %zu\\n", sizeof({name}));' for name in structs()]
        lines += [f'printf("constant {c.lower()} %d\\n", (int){c});' for c in constants()]
        return output_of(["gcc", "-I", INCLUDE], ".c", "#include <ivp/plugin.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n" +
                         "\n".join(lines) + "\n}\n")

    def in_fortran(self):
        declared, lines = [], []
        for name, fields in structs().items():
            variable = "x_" + name
            declared.append(f"type({name}), target :: {variable}")
            for field in fields:
                place = f"{variable}%{field}" + ("(1)" if field == "message" else "")
                lines.append(f'print "(a, i0)", "{name} {field} ", transfer(c_loc({place}), base) - transfer(c_loc({variable}), base)')
        lines += [f'print "(a, i0)", "{name} size ", c_sizeof(x_{name})' for name in structs()]
        lines += [f'print "(a, i0)", "constant {c.lower()} ", {c.lower()}' for c in constants()]
        return output_of(["gfortran", "-ffree-line-length-none", os.path.join(INCLUDE, "ivp", "ivp_plugin.f90")], ".f90",
                         "program p\nuse ivp_plugin\nimplicit none\ninteger(c_intptr_t) :: base\n" + "\n".join(declared) + "\n" + "\n".join(lines) +
                         "\nend program\n")

    def test_structs_fields_and_constants_are_the_same(self):
        self.assertGreaterEqual(len(structs()), 8)
        self.assertGreater(len(constants()), 40)
        self.assertEqual(self.in_fortran(), self.in_c())


if __name__ == "__main__":
    unittest.main()
