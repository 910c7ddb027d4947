"""What goes wrong around a run: limits of the machine, files that cannot be written, Ctrl-C. Nothing is lost, and no fault of the machine is a result."""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

import tool

GUARD_S = 900  # only so that a fault ends the test

# A solver that detaches a process of the name given and never comes back.
DETACHING = """
#include <ivp/plugin.h>
#include <sys/prctl.h>
#include <unistd.h>
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "detaching", .solver_version = "1", .language = "C", .forms = IVP_ODE,
                                    .flags = IVP_TAKES_H0, .lowest_order = 1, .highest_order = 1};
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task, (void)result;
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            prctl(PR_SET_NAME, "%s");
            sleep(600);
        }
        _exit(0);
    }
    for (;;) pause();
}
"""

# A solver that crashes.
ENDING = """
#include <ivp/plugin.h>
#include <signal.h>
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "ending", .solver_version = "1", .language = "C", .forms = IVP_ODE,
                                    .flags = IVP_TAKES_H0, .lowest_order = 1, .highest_order = 1};
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task, (void)result;
    raise(SIGSEGV);
}
"""

# A solver that finds no memory at its first step.
FULL = """
#include <ivp/plugin.h>
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "full", .solver_version = "1", .language = "C", .forms = IVP_ODE,
                                    .flags = IVP_TAKES_H0, .lowest_order = 1, .highest_order = 1};
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    result->outcome = IVP_OUT_OF_MEMORY;
}
"""

# A solver that uses a GiB.
GREEDY = """
#include <ivp/plugin.h>
#include <stdlib.h>
#include <string.h>
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "greedy", .solver_version = "1", .language = "C", .forms = IVP_ODE,
                                    .flags = IVP_TAKES_H0, .lowest_order = 1, .highest_order = 1};
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task, (void)result;
    for (int k = 0; k < 1024; ++k) memset(malloc(1 << 20), 1, 1 << 20);
}
"""


# A solver whose file changes while it runs, once it has been called more often than TOUCHY_AFTER says: a fault of the machine, and no result of a run.
TOUCHY = """
#define _GNU_SOURCE
#include <ivp/plugin.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "touchy", .solver_version = "1", .language = "C", .forms = IVP_ODE,
                                    .flags = IVP_TAKES_H0, .lowest_order = 1, .highest_order = 1};
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    FILE* calls = fopen("calls", "a");
    fputc('.', calls);
    Dl_info own;
    if (ftell(calls) > atoi(getenv("TOUCHY_AFTER")) && dladdr((void*)ivp_solver_solve, &own) != 0) chmod(own.dli_fname, 0755);
    fclose(calls);
    result->outcome = IVP_STEP_TOO_SMALL;
}
"""


# A solver that is killed in its first run; in the second one it leaves the working directory and gives up.
KILLED = """
#include <ivp/plugin.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
void ivp_solver_describe(ivp_solver_description* out)
{
    *out = (ivp_solver_description){IVP_VERSIONED(ivp_solver_description), .name = "killed", .solver_version = "1", .language = "C", .forms = IVP_ODE,
                                    .flags = IVP_TAKES_H0, .lowest_order = 1, .highest_order = 1};
}
void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    (void)task;
    if (open("been.here", O_CREAT | O_EXCL, 0600) >= 0) kill(getpid(), SIGKILL);
    result->outcome = chdir("elsewhere") == 0 ? IVP_STEP_TOO_SMALL : IVP_NEWTON_FAILED;
}
"""


class MemoryGroup:
    """A group of processes that have only so much memory together: beyond it the system ends one. None where this process may not make one."""

    def __init__(self, limit):
        self.folder = None
        for parent, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            folder = os.path.join(parent, f"ivp-test-{os.getpid()}")
            try:
                os.mkdir(folder)
                self.folder = folder
                with open(os.path.join(folder, file), "r+", encoding="utf-8") as f:
                    f.write(str(limit))
                return
            except OSError:
                self.remove()

    def enter(self):
        with open(os.path.join(self.folder, "cgroup.procs"), "r+", encoding="utf-8") as f:
            f.write(str(os.getpid()))

    def remove(self):
        if self.folder:
            os.rmdir(self.folder)
        self.folder = None


def processes_named(name):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
                if f.read().strip() == name:
                    found.append(int(pid))
        except OSError:  # it has ended
            pass
    return found


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def limited(args, cwd, limits=None, env=None):
    """Calls the tool in a process that may have only so much of some resources."""
    def give():
        for what, most in (limits or {}).items():
            resource.setrlimit(what, (most, most))
    done = subprocess.run([tool.TOOL, *args], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=give,
                          env={**os.environ, **(env or {})}, timeout=GUARD_S, check=False)
    return tool.Result(list(args), done.returncode, done.stdout.decode(), done.stderr.decode())


class Folder(tool.Folder):
    def library(self, name, text):
        """The plug-in of this name that the compiler makes of a text in C."""
        with open(self.path(name + ".c"), "w", encoding="utf-8") as f:
            f.write(text)
        subprocess.run(["cc", "-I", os.path.join(tool.setting("IVP_SOURCE"), "include"), "-shared", "-fPIC", "-o", name + ".so", name + ".c"],
                       cwd=self.folder, check=True)
        return f"./{name}.so"

    def outcomes(self, db):
        rows = tool.run(["query", "--db", self.path(db), "--format", "csv", "SELECT outcome FROM runs ORDER BY id"])
        self.assertEqual(rows.code, 0, rows)
        return rows.out.split()[1:]

    def contents(self, db, columns):
        rows = tool.run(["query", "--db", self.path(db), "--format", "csv", f"SELECT {columns} ORDER BY 1"])
        self.assertEqual(rows.code, 0, rows)
        return rows.out.split()[1:]


class Machine(Folder):
    """A fault of the machine is no result."""

    def setUp(self):
        super().setUp()
        with open(self.path("plan.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'hires'\nsolvers = ['radau5', 'rodas']\nrtol = 1e-4\n")

    def test_a_few_descriptors_are_enough(self):
        for most in (200, 64):
            with self.subTest(most=most):
                done = limited(["campaign", "plan.toml", "--db", f"{most}.db"], self.folder, {resource.RLIMIT_NOFILE: most})
                self.assertEqual(done.code, 0, done)
                self.assertEqual(self.outcomes(f"{most}.db"), ["success", "success"])

    @unittest.skipIf(tool.SANITIZED, "a sanitizer opens files itself, and ends the tool where it cannot")
    def test_too_few_are_a_message_and_no_row(self):
        done = limited(["run", "hires", "radau5", "--rtol", "1e-4"], self.folder, {resource.RLIMIT_NOFILE: 4})
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("Too many open files", done.err)

    def test_unknown_kernels_are_a_message_and_no_row(self):
        for args in (["campaign", "plan.toml", "--db", "a.db"], ["run", "hires", "radau5", "--rtol", "1e-4"], ["wp", "hires", "--rtol", "1e-4"]):
            with self.subTest(args=args):
                done = limited(args, self.folder, env={"IVP_KERNELS": "abacus"})
                self.assertEqual((done.code, done.out), (2, ""), done)
                self.assertIn("IVP_KERNELS 'abacus' given", done.err)
        if os.path.exists(self.path("a.db")):
            self.assertEqual(self.outcomes("a.db"), [])

    def test_the_documented_kernels_are_taken(self):
        done = limited(["run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1"], self.folder, env={"IVP_KERNELS": "generic"})
        self.assertEqual(done.code, 0, done)

    @unittest.skipIf(tool.SANITIZED, "a sanitizer maps memory of its own")
    def test_fewer_threads_than_asked_are_a_message_and_no_row(self):
        stack = 1 << 46  # of a thread; nobody has it
        done = limited(["run", "medakzo", "pside", "--rtol", "1e-4", "--threads", "2", "--repeat", "1"], self.folder, {resource.RLIMIT_STACK: stack})
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("this machine gave 1 of 2 threads", done.err)

    @unittest.skipIf(tool.SANITIZED, "a sanitizer ends the process itself")
    def test_memory_that_the_tool_may_not_use_is_a_message_and_no_row(self):
        with open(self.path("large.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'medakzo'\nset = { N = 2000 }\nsolvers = 'radau5'\nalgebra = 'dense'\nrtol = 1e-4\n")
        done = limited(["campaign", "large.toml", "--db", "a.db"], self.folder, {resource.RLIMIT_AS: 160 << 20})
        self.assertEqual(done.code, 2, done)
        self.assertIn("ivp itself may not use that much (ulimit -v", done.err)
        self.assertEqual(self.outcomes("a.db"), [])

    @unittest.skipIf(tool.SANITIZED, "a sanitizer ends the process itself")
    def test_a_solver_without_the_memory_of_its_limit_is_not_assessed(self):
        library = self.library("full", FULL)
        detest = ["detest", "nonstiff", library, "--groups", "A1", "--tol", "1e-2", "--db", "a.db"]
        done = limited(detest, self.folder, {resource.RLIMIT_AS: 1 << 30})
        self.assertEqual(done.code, 2, done)
        self.assertIn("detest-n-a1 with full: too little memory: ", done.err)
        self.assertIn("ivp itself may not use that much (ulimit -v", done.err)
        stored = tool.run(["query", "--db", self.path("a.db"), "--format", "csv", "SELECT count(*) FROM assessment"])
        self.assertEqual(stored.out.split()[1:], ["0"], stored)
        done = limited(detest, self.folder)
        self.assertEqual(done.code, 0, done)
        self.assertIn("out_of_memory", done.out)

    @unittest.skipIf(tool.SANITIZED, "a sanitizer takes memory of its own")
    def test_a_machine_without_memory_is_a_message_and_no_row(self):
        group = MemoryGroup(300 << 20)
        if not group.folder:
            self.skipTest("no group of processes with a limit of memory can be made here")
        self.addCleanup(group.remove)
        self.library("greedy", GREEDY)
        with open(self.path("greedy.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'hires'\nsolvers = ['./greedy.so']\nrtol = 1e-4\n")
        done = subprocess.run([tool.TOOL, "campaign", "greedy.toml", "--db", "a.db"], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              preexec_fn=group.enter, timeout=GUARD_S, check=False)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("the system ended a child process because memory had run out", done.stderr)
        self.assertEqual(self.outcomes("a.db"), [])

    def test_cpu_time_that_the_tool_may_not_use_is_a_message_and_no_row(self):
        with open(self.path("long.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'medakzo'\nset = { N = 4000 }\nsolvers = 'radau5'\nalgebra = 'dense'\nrtol = 1e-4\ntimeout = 60\n")
        done = limited(["campaign", "long.toml", "--db", "a.db"], self.folder, {resource.RLIMIT_CPU: 1})
        self.assertEqual(done.code, 2, done)
        self.assertIn("needed more than 1 s of CPU time, which ivp itself may not use (ulimit -t)", done.err)
        self.assertEqual(self.outcomes("a.db"), [])
        done = limited(["campaign", "plan.toml", "--db", "b.db"], self.folder, {resource.RLIMIT_CPU: 100})
        self.assertEqual((done.code, self.outcomes("b.db")), (0, ["success", "success"]), done)

    def test_a_plugin_replaced_while_a_campaign_runs_ends_it(self):
        plugin = self.path("mine.so")
        with open(tool.example("rosenbrock"), "rb") as f:
            content = f.read()
        with open(plugin, "wb") as f:
            f.write(content)
        with open(self.path("long.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'hires'\nsolvers = './mine.so'\nrtol = { from = 1e-2, to = 1e-6, per_decade = 400 }\n")
        process = subprocess.Popen([tool.TOOL, "campaign", "long.toml", "--db", "a.db"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + GUARD_S
        while not (os.path.exists(self.path("a.db")) and len(self.outcomes("a.db")) > 2) and time.monotonic() < end and process.poll() is None:
            time.sleep(0.02)
        os.remove(plugin)
        with open(plugin, "wb") as f:
            f.write(content)
        _, err = process.communicate(timeout=GUARD_S)
        self.assertEqual(process.returncode, 2, err)
        self.assertIn("mine.so' has changed since it was opened; start again", err.decode())

    def begun(self, args, db):
        """A command that measures long enough for a file to be replaced; the store is made when everything has been opened."""
        process = subprocess.Popen([tool.TOOL, *args, "--db", db], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + GUARD_S
        while not os.path.exists(self.path(db)) and time.monotonic() < end and process.poll() is None:
            time.sleep(0.01)
        return process

    def replaced(self, name, content):
        """An editor, or a compiler, writes the file again."""
        with open(self.path(name + ".new"), "wb") as f:
            f.write(content)
        os.replace(self.path(name + ".new"), self.path(name))

    def test_a_text_replaced_while_it_runs_keeps_its_content(self):
        text = b"problem decay\nparameter k = 1 in 0 .. 10\ninterval 0 .. 10\nstate x = 1\nx' = -k*x\n"
        measured = ["--rtol", "1e-4", "--min-time", "2"]
        for args in (["run", "./decay.ivp", "radau5", *measured], ["run", "./decay.ivp", "radau5", "--set", "k=1,2", *measured],
                     ["wp", "./decay.ivp", "--solvers", "radau5,dopri5", *measured]):
            with self.subTest(args=args):
                db = f"{args[0]}{len(args)}.db"
                self.replaced("decay.ivp", text)
                process = self.begun(args, db)
                self.replaced("decay.ivp", text.replace(b"k*x", b"k*x*x"))
                _, err = process.communicate(timeout=GUARD_S)
                self.assertEqual(process.returncode, 0, err)
                self.assertEqual(self.contents(db, "DISTINCT problem_content FROM runs"), [hashlib.sha256(text).hexdigest()])

    def test_a_plugin_replaced_while_it_runs_never_gets_the_result(self):
        with open(tool.example("rosenbrock"), "rb") as f:
            content = f.read()
        for args, rows in ((["run", "ringmod", "./mine.so", "--rtol", "1e-5", "--min-time", "2"], "solver_content FROM runs"),
                           (["wp", "ringmod", "--solvers", "./mine.so", "--rtol", "1e-5", "--min-time", "2"], "solver_content FROM runs"),
                           (["detest", "stiff", "./mine.so", "--timing", "0.3"],
                            "content FROM assessment JOIN solver ON solver.id = solver_id")):
            with self.subTest(args=args):
                db = args[0] + ".db"
                self.replaced("mine.so", content)
                process = self.begun(args, db)
                time.sleep(0.3)
                self.replaced("mine.so", content + b"another")
                out, err = process.communicate(timeout=GUARD_S)
                stored = self.contents(db, rows)
                if process.returncode == 0:
                    self.assertEqual(stored, [hashlib.sha256(content).hexdigest()], out)
                else: # it was to be loaded once more
                    self.assertEqual((process.returncode, stored), (2, []), err)
                    self.assertIn("mine.so' has changed since it was opened; start again", err.decode())

    def lost(self, how, db):
        """What a person may do to a store while runs are made for it."""
        path = self.path(db)
        if how == "removed":
            os.remove(path)
        elif how == "moved":
            os.rename(path, path + ".kept")
        else:
            shutil.copy(path, path + ".new")
            os.replace(path + ".new", path)

    def test_a_store_that_loses_its_name_during_a_campaign_is_told(self):
        with open(self.path("long.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'hires'\nsolvers = 'radau5'\nrtol = { from = 1e-2, to = 1e-6, per_decade = 400 }\n")
        for how in ("removed", "moved", "replaced"):
            with self.subTest(how=how):
                db = how + ".db"
                process = subprocess.Popen([tool.TOOL, "campaign", "long.toml", "--db", db], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                end = time.monotonic() + GUARD_S
                while not (os.path.exists(self.path(db)) and len(self.outcomes(db)) > 2) and time.monotonic() < end and process.poll() is None:
                    time.sleep(0.02)
                self.lost(how, db)
                out, err = process.communicate(timeout=GUARD_S)
                self.assertEqual((process.returncode, out), (2, b""), err)
                self.assertIn(f"store '{db}': it was moved, removed or replaced while it was in use", err.decode())
                if how == "moved":
                    self.assertGreater(len(self.outcomes(db + ".kept")), 2)

    def test_a_store_that_loses_its_name_during_a_run_is_told_and_the_result_printed(self):
        measured = ["--rtol", "1e-5", "--min-time", "1"]
        for args, there in ((["run", "ringmod", "radau5", *measured], "Ring modulator"), (["run", "vdpol", "radau5", "--set", "eps=1e-6,1e-5", *measured], "eps"),
                            (["wp", "ringmod", "--solvers", "radau5", *measured], "radau5"), (["detest", "stiff", "radau5", "--timing", "0.3"], "radau5")):
            for how in ("removed", "replaced"):
                with self.subTest(args=args, how=how):
                    db = f"{args[0]}{len(args)}{how}.db"
                    process = self.begun(args, db)
                    time.sleep(0.1)
                    self.lost(how, db)
                    out, err = process.communicate(timeout=GUARD_S)
                    self.assertEqual(process.returncode, 2, err)
                    self.assertIn(there, out.decode(), "the result")
                    self.assertIn(f"store '{db}': it was moved, removed or replaced while it was in use", err.decode())
                    self.assertEqual(os.path.exists(self.path(db)), how == "replaced", "no store is made in its place")


class Streams(Folder):
    """Standard streams that are full, closed or read by nobody cost no run."""

    def setUp(self):
        super().setUp()
        with open(self.path("plan.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'hires'\nsolvers = ['radau5', 'rodas']\nrtol = 1e-4\n")

    def shell(self, redirections, *args):
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirections}', tool.TOOL, *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=GUARD_S, check=False)

    def test_a_campaign_that_nobody_hears(self):
        for k, redirections in enumerate(("2> /dev/full", "2>&-", "0<&- 2>&-", "2>&1 1> /dev/null | true")):
            with self.subTest(redirections):
                done = self.shell(redirections, "campaign", "plan.toml", "--db", f"{k}.db")
                self.assertEqual(done.returncode, 0, done)
                end = time.monotonic() + GUARD_S
                while "|" in redirections and self.outcomes(f"{k}.db") != ["success", "success"] and time.monotonic() < end:
                    time.sleep(0.05)  # the shell waits for the last of the pipe only
                self.assertEqual(self.outcomes(f"{k}.db"), ["success", "success"])

    def test_a_refusal_that_nobody_hears(self):
        for redirections in ("2> /dev/full", "2>&-"):
            with self.subTest(redirections):
                self.assertEqual(self.shell(redirections, "run", "hires", "nothing").returncode, 2)

    def test_a_run_without_standard_streams_is_a_run(self):
        for redirections in ("0<&-", "0<&- 2>&-", "2>&-"):
            with self.subTest(redirections):
                done = self.shell(redirections, "run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1", "--format", "json")
                self.assertEqual(done.returncode, 0, done)
                self.assertEqual(json.loads(done.stdout)["outcome"], "success")
        self.assertEqual(self.shell("0<&- 1>&-", "campaign", "plan.toml", "--db", "a.db").returncode, 2, "its summary is lost")
        self.assertEqual(self.outcomes("a.db"), ["success", "success"])

    def test_an_answer_that_is_lost_is_no_success(self):
        for redirections in ("1>&-", "0<&- 1>&-", "1> /dev/full"):
            for args in (["list", "problems"], ["show", "cvode"], ["help", "--format", "markdown"]):  # the last is longer than a buffer
                with self.subTest(redirections, args=args):
                    done = self.shell(redirections, *args)
                    self.assertEqual(done.returncode, 2, done)
                    self.assertIn(b"cannot write to standard output", done.stderr)


class TimeLimit(Folder):
    def test_ages_are_no_time_limit_at_once(self):
        done = tool.run(["run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1", "--timeout", "1e10"])
        self.assertEqual(done.code, 0, done)

    def test_a_solver_inside_a_factorisation_is_ended(self):
        # One dense factorisation of this size takes minutes; the limit is noticed without an evaluation.
        done = tool.run(["run", "medakzo", "radau5", "--rtol", "1e-4", "--set", "N=5000", "--algebra", "dense", "--timeout", "0.5", "--format", "json"])
        self.assertEqual(done.code, 1, done)
        r = done.json()
        self.assertEqual(r["outcome"], "timed_out")
        self.assertEqual((r["repeats"], r["cpu_s"]), (0, None), "its process was ended")


class LateFailures(Folder):
    SMALL_FILES = {resource.RLIMIT_FSIZE: 100}

    def test_the_table_is_printed_although_a_file_fails(self):
        done = limited(["wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--repeat", "1", "--out", "a.csv"], self.folder, self.SMALL_FILES)
        self.assertEqual(done.code, 2, done)
        self.assertIn("hires (ode, 8 equations)", done.out)
        self.assertIn("a.csv", done.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_results_are_printed_and_files_written_although_the_store_takes_nothing(self):
        # SQLite finds room for its index, and none for the log of a run.
        little_room = {resource.RLIMIT_FSIZE: 32768}
        cases = {"scale": (["scale", "bruss", "--set", "N=20,40,80", "--solvers", "radau5", "--repeat", "1", "--out", "a.csv"], "    160 radau5", ["a.csv"]),
                 "sweep": (["run", "vdpol", "radau5", "--rtol", "1e-4", "--set", "eps=1e-2,1e-3", "--repeat", "1", "--out", "b.csv"], "1e-3  success",
                           ["b.csv"]),
                 "wp": (["wp", "hires", "--solvers", "radau5,rodas", "--rtol", "1e-4,1e-5", "--repeat", "1", "--out", "c.json", "--out", "c.csv"], "1e-05 rodas",
                        ["c.json", "c.csv"]),
                 "run": (["run", "bruss", "radau5", "--rtol", "1e-4", "--repeat", "1", "--trajectory", "d.csv", "--components", "1"], "CPU-time used", ["d.csv"]),
                 "choose": (["choose", "hires", "--solvers", "radau5,rodas", "--digits", "3"], "Take ", []),
                 "detest": (["detest", "stiff", "radau5,rodas", "--groups", "A1", "--timing", "0"], "Stiff DETEST of rodas", [])}
        for name, (args, row, files) in cases.items():
            with self.subTest(name=name):
                self.assertEqual(tool.run(["run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1", "--db", name + ".db"], cwd=self.folder).code, 0)
                done = limited([*args, "--db", name + ".db"], self.folder, little_room)
                self.assertEqual(done.code, 2, done)
                self.assertIn(row, done.out, done)
                self.assertEqual(len(done.faults()), 1, done)
                self.assertIn(name + ".db", done.err)
                for file in files:
                    self.assertTrue(os.path.exists(self.path(file)), file)

    def test_a_file_that_is_lost_takes_no_other_with_it(self):
        os.mkdir(self.path("d"))
        process = subprocess.Popen([tool.TOOL, "wp", "plei", "--solvers", "dopri5", "--rtol", "1e-4", "--repeat", "20000", "--out", "d/a.csv",
                                    "--out", "b.json"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(wait_for(lambda: any(name.endswith(".partial") for name in os.listdir(self.folder))))
        shutil.rmtree(self.path("d"))
        out, err = process.communicate(timeout=GUARD_S)
        self.assertEqual(process.returncode, 2, err)
        self.assertIn("1e-04 dopri5", out.decode())
        self.assertIn("d/a.csv", err.decode())
        self.assertEqual(os.listdir(self.folder), ["b.json"])

    def test_the_file_of_components_is_tried_before_the_measurement(self):
        with open(self.path("a.components.csv"), "w", encoding="utf-8") as f:
            f.write("mine\n")
        measure = ["wp", "plei", "--solvers", "dopri5", "--rtol", "1e-4", "--repeat", "1", "--out", "a.csv"]
        done = tool.run(measure, cwd=self.folder)
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("'a.components.csv' was not written by ivp", done.err)
        done = tool.run([*measure, "--force", "--out", "a.components.csv"], cwd=self.folder)
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("'a.components.csv' given together with 'a.csv'", done.err)
        self.assertEqual(os.listdir(self.folder), ["a.components.csv"])
        done = tool.run(["wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--repeat", "1", "--out", "a.csv"], cwd=self.folder)
        self.assertEqual(done.code, 0, "which needs no such file")

    def test_the_result_is_printed_although_the_trajectory_fails(self):
        done = limited(["run", "hires", "radau5", "--rtol", "1e-6", "--repeat", "1", "--trajectory", "t.csv", "--format", "json"], self.folder,
                       self.SMALL_FILES)
        self.assertEqual(done.code, 2, done)
        self.assertEqual(done.json()["outcome"], "success")
        self.assertIn("t.csv", done.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_run_that_is_made_again_has_its_trajectory(self):
        os.mkdir(self.path("elsewhere"))
        killed = self.library("killed", KILLED)
        done = tool.run(["run", "hires", killed, "--rtol", "1e-4", "--repeat", "1", "--trajectory", "t.csv", "--format", "json"], cwd=self.folder)
        self.assertEqual((done.code, done.json()["outcome"]), (1, "step_too_small"), done)
        self.assertEqual(sorted(os.listdir(self.folder)), ["been.here", "elsewhere", "killed.c", "killed.so", "t.csv"])
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_a_fault_of_the_machine_leaves_no_half_of_a_trajectory(self):
        done = limited(["run", "medakzo", "radau5", "--set", "N=4000", "--algebra", "dense", "--rtol", "1e-4", "--repeat", "1", "--trajectory", "t.csv"],
                       self.folder, {resource.RLIMIT_CPU: 1})
        self.assertEqual(done.code, 2, done)
        self.assertIn("needed more than 1 s of CPU time", done.err)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_demonstration_tries_its_report_first_and_can_be_interrupted(self):
        os.mkdir(self.path("d"))
        with open(self.path("d/report.html"), "w", encoding="utf-8") as f:
            f.write("mine")
        done = tool.run(["demo", "--dir", "d"], cwd=self.folder)
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("'d/report.html' was not written by ivp", done.err)
        self.assertEqual(os.listdir(self.path("d")), ["report.html"])
        done = self.interrupted(["demo", "--dir", "e"], signal.SIGINT, lambda: os.path.exists(self.path("e/ivp.db")), 0.2)
        self.assertEqual(done.code, 1, done)
        self.assertIn("interrupted", done.err)
        self.assertEqual(os.listdir(self.path("e")), ["ivp.db"])

    def test_data_of_problems_are_those_that_are_complete(self):
        for wait in (0.5 * 2**k for k in range(5)):  # until the first one is complete, however busy the machine is
            done = self.interrupted(["detest", "timing"], signal.SIGINT, wait_s=wait)
            if "detest-" in done.out:
                break
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.err, r"interrupted; [1-9]\d* of \d+ problems are complete")
        self.assertIn("detest-", done.out)

    def test_outputs_are_tried_before_the_measurement(self):
        for args in (["run", "hires", "radau5", "--rtol", "1e-4", "--db", "/nowhere/a.db"],
                     ["run", "hires", "radau5", "--rtol", "1e-4", "--trajectory", "/nowhere/t.csv"],
                     ["wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--db", "/nowhere/a.db"],
                     ["choose", "hires", "--db", "/nowhere/a.db"]):
            with self.subTest(args=args):
                done = tool.run(args, cwd=self.folder)
                self.assertEqual((done.code, done.out), (2, ""), done)
                self.assertIn("/nowhere/", done.err)

    def test_a_fault_of_the_machine_midway_costs_nothing_that_was_measured(self):
        self.library("touchy", TOUCHY)
        cases = {"wp": (["wp", "vdpol", "--solvers", "radau5,./touchy.so", "--rtol", "1e-2:1e-9:1", "--out", "a.csv"], 3, "1e-02 radau5"),
                 "sweep": (["run", "vdpol", "./touchy.so", "--rtol", "1e-4", "--set", "eps=1e-2:1e-6:2", "--out", "a.csv"], 3, "step_too_small"),
                 "scale": (["scale", "bruss", "--set", "N=20,40,80,160", "--solvers", "radau5,./touchy.so", "--out", "a.csv"], 1, "radau5"),
                 "choose": (["choose", "vdpol", "--solvers", "rodas,radau5,./touchy.so", "--digits", "3"], 1, "which solver for 3 digits?"),
                 "detest": (["detest", "stiff", "radau5,./touchy.so", "--groups", "A1,A2,A3", "--timing", "0"], 0, "Stiff DETEST of radau5")}
        for name, (args, after, row) in cases.items():
            with self.subTest(name=name):
                if os.path.exists(self.path("calls")):
                    os.remove(self.path("calls"))
                done = tool.run([*args, *([] if name == "detest" else ["--repeat", "1"] if name != "choose" else []), "--db", name + ".db"],
                                cwd=self.folder, env={"TOUCHY_AFTER": str(after)})
                self.assertEqual(done.code, 2, done)
                self.assertIn(row, done.out, done)
                self.assertIn("ivp: ended early; ", done.err)
                self.assertIn("touchy.so' has changed since it was opened; start again", done.faults()[-1])
                kept = "assessment" if name == "detest" else "runs"
                self.assertNotEqual(self.contents(name + ".db", "count(*) FROM " + kept), ["0"])
                self.assertNotIn("a.csv", os.listdir(self.folder))
                self.assertEqual(self.half_written(), [])

    def test_ctrl_c_prints_what_is_there(self):
        process = subprocess.Popen([tool.TOOL, "wp", "hires", "--solvers", "radau5", "--min-time", "0.2", "--rtol", "1e-2:1e-9:100", "--out", "a.csv",
                                    "--db", "a.db"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        end = time.monotonic() + GUARD_S
        while not any(name.endswith(".partial") for name in os.listdir(self.folder)) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(1)  # some tolerances, never all
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=GUARD_S)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("interrupted", err.decode())
        self.assertNotIn("a.csv", os.listdir(self.folder))
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".partial")], [])
        rows = [line for line in out.decode().splitlines() if " radau5 " in line]
        self.assertEqual(self.outcomes("a.db"), ["success"] * len(rows))

    def interrupted(self, args, by, begun=lambda: True, wait_s=1.5, env=None):
        """The exit code, standard output and standard error of a command that gets a signal after it has begun."""
        def give():
            for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(s, signal.SIG_DFL)
        process = subprocess.Popen([tool.TOOL, *args], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, preexec_fn=give, env={**os.environ, **(env or {})})
        self.assertTrue(wait_for(begun))
        time.sleep(wait_s)
        os.killpg(process.pid, by)
        out, err = process.communicate(timeout=GUARD_S)
        return tool.Result(args, process.returncode, out.decode(), err.decode())

    def half_written(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".partial")]

    def test_every_command_that_measures_ends_with_what_it_has(self):
        sweep = ["run", "vdpol", "radau5", "--rtol", "1e-4", "--set", "eps=1e-2:1e-6:20", "--repeat", "5000", "--out", "s.csv"]
        cases = [(["run", "plei", "dopri5", "--rtol", "1e-9", "--repeat", "100000", "--trajectory", "t.csv"], ""),
                 (sweep, "eps  outcome"),
                 (["wp", "plei", "--solvers", "dopri5", "--rtol", "1e-2:1e-9:100", "--repeat", "2000", "--out", "a.csv", "--out", "a.svg"], "1e-02 dopri5"),
                 (["choose", "beam", "--budget", "600"], "which solver for 4 digits?"),
                 (["detest", "nonstiff", "dopri5,dverk,vode", "--timing", "10"], "A1")]
        for args, row in cases:
            for by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(args=args, by=by):
                    begun = self.half_written if args[0] == "wp" or "t.csv" in args else lambda: True
                    for wait in (0.5 * 2**k for k in range(8)):  # until the first part is complete, however busy the machine is
                        done = self.interrupted(args, by, begun, wait)
                        if row in done.out:
                            break
                    self.assertEqual(done.code, 1, done)
                    self.assertIn("interrupted", done.err)
                    self.assertIn(row, done.out, done)
                    self.assertEqual(os.listdir(self.folder), [])

    def test_who_uses_nohup_keeps_the_run(self):
        process = subprocess.Popen([tool.TOOL, "wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--repeat", "5000", "--out", "a.csv"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertTrue(wait_for(self.half_written))
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=GUARD_S), 0)

    def test_what_a_run_has_detached_ends_with_the_command(self):
        name = f"left{os.getpid()}"[:15]
        self.library("detaching", DETACHING % name)
        with open(self.path("plan.toml"), "w", encoding="utf-8") as f:
            f.write("problems = 'hires'\nsolvers = ['./detaching.so']\nrtol = 1e-4\ntimeout = 600\n")
        for args in (["campaign", "plan.toml", "--db", "a.db"], ["run", "hires", "./detaching.so", "--rtol", "1e-4"]):
            for by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(args=args, by=by):
                    done = self.interrupted(args, by, lambda: processes_named(name), 3 if args[0] == "campaign" else 0)
                    left = processes_named(name)
                    for pid in left:
                        os.kill(pid, signal.SIGKILL)
                    self.assertEqual((done.code, left), (1, []), done)
                    self.assertIn("Stopped" if args[0] == "campaign" else "interrupted", done.out + done.err)


class Kept(Folder):
    """--db keeps what a command measures."""

    def test_run(self):
        for _ in range(2):
            done = tool.run(["run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1", "--db", "a.db", "--format", "json"], cwd=self.folder)
            self.assertEqual(done.code, 0, done)
        kept = [json.loads(line) for line in tool.run(["records", "--db", self.path("a.db"), "--jsonl"]).out.splitlines()]
        self.assertEqual(len(kept), 1, "the same run measured again is the same row")
        self.assertEqual((kept[0]["nfev"], kept[0]["campaign"]), (done.json()["nfev"], "run"))

    def test_wp_and_campaign_agree_on_what_a_run_is(self):
        done = tool.run(["wp", "hires", "--solvers", "radau5,rodas", "--rtol", "1e-4,1e-5", "--repeat", "1", "--db", "a.db"], cwd=self.folder)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.outcomes("a.db"), ["success"] * 4)
        with open(self.path("plan.toml"), "w", encoding="utf-8") as f:
            f.write("repeat = 1\nproblems = 'hires'\nsolvers = ['radau5', 'rodas']\nrtol = [1e-4, 1e-5]\n")
        again = tool.run(["campaign", "plan.toml", "--db", "a.db"], cwd=self.folder)
        self.assertIn("0 runs made, 4 stored before", again.out)

    def test_choose(self):
        done = tool.run(["choose", "hires", "--solvers", "radau5,rodas", "--digits", "3", "--db", "a.db", "--format", "json"], cwd=self.folder)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.outcomes("a.db"), ["success"] * 2)
        digits = tool.run(["query", "--db", self.path("a.db"), "--format", "csv", "SELECT count(mescd) FROM runs"]).out.split()
        self.assertEqual(digits[1], "2", "in a store runs have the digits of the reference")


class Surroundings(Folder):
    """What the tool is started with, or put into, changes no result."""

    @unittest.skipIf(tool.SANITIZED, "a sanitizer ends the process itself")
    def test_who_starts_the_tool_may_ignore_the_ends_of_children(self):
        library = self.library("ending", ENDING)
        args = ["run", "hires", library, "--rtol", "1e-4", "--repeat", "1", "--format", "json"]
        done = subprocess.run([tool.TOOL, *args], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=GUARD_S,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("Segmentation fault (signal 11)", json.loads(done.stdout)["message"])

    def test_a_proc_of_others_is_a_message_and_no_row(self):
        run = [tool.TOOL, "run", "hires", "radau5", "--rtol", "1e-4", "--repeat", "1"]
        hidden = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        foreign = ["unshare", "--map-root-user", "--pid", "--fork"]
        for apart in (foreign,) if tool.SANITIZED else (hidden, foreign):  # a sanitizer reads /proc itself, and ends the tool without it
            with self.subTest(apart=apart):
                if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
                    self.skipTest("this machine gives no namespaces")
                done = subprocess.run([*apart, *run], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=GUARD_S, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done)
                self.assertIn("/proc does not show the processes of ivp", done.stderr)


if __name__ == "__main__":
    unittest.main()
