"""Runs the tool under test and hands back what a user would see.

The environment says where things are (tests/CMakeLists.txt sets it):
    IVP_TOOL      the tool                     IVP_SOURCE    root of the source tree
    IVP_BUILD     the build folder             IVP_EXAMPLES  folder with the example plug-ins
    IVP_LIBRARY   the library of the C interface
    IVP_SANITIZE  the sanitizers that are compiled into all of these, or nothing
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest


def setting(name):
    """A path from the environment; without it no test means anything."""
    if name not in os.environ:
        sys.exit(f"{name} is not set; run the tests with ctest, or see tests/CMakeLists.txt")
    return os.path.abspath(os.environ[name])


TOOL = setting("IVP_TOOL")
SANITIZED = os.environ.get("IVP_SANITIZE", "") != ""
TIME_LIMIT_S = 900  # a tool that hangs must fail its test, not the whole run


def catalog(kind):
    """The names of all problems or solvers, in order, as the sources list them."""
    path = os.path.join(setting("IVP_SOURCE"), "src", "solvers" if kind == "solvers" else "catalog", kind + ".def")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    names = re.findall(r"(?m)^IVP_(?:PROBLEM|SOLVER)\((\w+)\)", text)
    names += [f"detest-{s}-{group}{number}" for s, group, number in re.findall(r"IVP_DETEST\((\w), (\w), (\d)\)", text)]
    return names + sized_problems(text)


def sized_problems(text=None):
    """The problems with a size."""
    if text is None:
        with open(os.path.join(setting("IVP_SOURCE"), "src", "catalog", "problems.def"), encoding="utf-8") as f:
            text = f.read()
    return re.findall(r"(?m)^IVP_SIZED\((\w+)\)", text)


def settings():
    """The options of all settings of a run, as settings.def lists them: what `choose` and the help say of each."""
    with open(os.path.join(setting("IVP_SOURCE"), "include", "ivp", "settings.def"), encoding="utf-8") as f:
        lines = re.findall(r'(?m)^IVP_(?:SETTING|INTERVAL|LIMIT)\(\w+, "(\w+)", .*, (true|false), "(.*)"\)$', f.read())
    return {"--" + name.replace("_", "-"): {"choose": choose == "true", "help": text} for name, choose, text in lines}


def example(name):
    """The path of an example plug-in."""
    return os.path.join(setting("IVP_EXAMPLES"), name + ".so")


class Result:
    """Exit code, standard output and standard error of one call."""

    def __init__(self, args, code, out, err):
        self.args, self.code, self.out, self.err = args, code, out, err

    def json(self):
        return json.loads(self.out)

    def faults(self):
        """The messages on standard error, one per fault."""
        return [line for line in self.err.splitlines() if line.startswith("ivp: ")]

    def __str__(self):
        return f"ivp {' '.join(self.args)}\n  exit code {self.code}\n  stdout: {self.out[:2000]!r}\n  stderr: {self.err[:2000]!r}"


def run(args, input=None, env=None, cwd=None):
    """Calls the tool. Standard input is /dev/null, or a pipe with `input`; `env` is added to the environment."""
    done = subprocess.run(
        [TOOL, *args],
        stdin=subprocess.DEVNULL if input is None else None,
        input=None if input is None else input.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=None if env is None else {**os.environ, **env},
        cwd=cwd,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    return Result(list(args), done.returncode, done.stdout.decode(), done.stderr.decode())


def processor_seconds():
    """Processor time of all processes that have ended, whatever else the machine did meanwhile."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def record(args, **how):
    """The record of one successful `ivp run`, once (`--repeat 1`) unless the arguments say otherwise."""
    once = [] if "--repeat" in args else ["--repeat", "1"]
    result = run(["run", *args, *once, "--format", "json"], **how)
    if result.code != 0:
        raise AssertionError(str(result))
    return result.json()


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)
