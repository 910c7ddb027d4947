"""Files and terminals: nothing of somebody else's is replaced, any name works, and no text commands the terminal."""

import fcntl
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import termios
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

RUN = ["run", "rober", "radau5", "--rtol", "1e-4"]
WP = ["wp", "rober", "--solvers", "radau5", "--rtol", "1e-4", "--repeat", "1"]
HOSTILE = "a\x1b[2J\x9b\u202eb\rc"


def on_terminal(args, cwd):
    """Output and error of the tool as a terminal gets them."""
    master, slave = pty.openpty()
    child = subprocess.Popen([tool.TOOL, *args], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=cwd, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0))  # /dev/tty is this terminal
    os.close(slave)
    out = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        out += block
    os.close(master)
    return child.wait(), out


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def at(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(text)

    def text(self, name):
        with open(self.at(name), encoding="utf-8") as f:
            return f.read()

    def run_tool(self, args, code=0):
        result = tool.run(args, cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return result

    def test_a_store_is_never_replaced_by_an_output(self):
        self.put("plan.toml", 'problems = "rober"\nsolvers = "radau5"\nrtol = 1e-4\nrepeat = 1\n')
        self.run_tool(["campaign", "plan.toml", "--db", "x.db"])
        with open(self.at("x.db"), "rb") as f:
            before = f.read()
        shutil.copy(self.at("x.db"), self.at("x.csv"))
        for args in ([*RUN, "--trajectory", "x.db"], [*WP, "--out", "x.csv"]):
            result = self.run_tool(args, 2)
            self.assertIn("is a store", result.err)
            self.assertIn("--force", result.err)
            self.assertEqual(result.out, "", "nothing is measured that cannot be written")
        with open(self.at("x.db"), "rb") as f:
            self.assertEqual(f.read(), before)
        self.run_tool([*WP, "--out", "x.csv", "--force"])
        self.assertTrue(self.text("x.csv").startswith("schema,"))

    def test_an_output_is_not_the_store_of_its_own_command(self):
        self.run_tool([*RUN, "--repeat", "1", "--db", "x.db"])
        os.link(self.at("x.db"), self.at("hard.html"))
        os.symlink("x.db", self.at("soft.csv"))
        with open(self.at("x.db"), "rb") as f:
            before = f.read()
        sweep = ["run", "vdpol", "radau5", "--rtol", "1e-4", "--set", "eps=1e-2,1e-3", "--repeat", "1"]
        scale = ["scale", "bruss", "--set", "N=20,40,80", "--solvers", "radau5", "--repeat", "1"]
        for args in ([*RUN, "--trajectory", "x.db"], [*RUN, "--trajectory", "./soft.csv"], [*WP, "--out", "soft.csv"], [*WP, "--out", "hard.html"],
                     [*sweep, "--out", "soft.csv"], [*scale, "--out", "hard.html"], ["report", "--out", "hard.html"]):
            for force in ([], ["--force"]):
                result = self.run_tool([*args, "--db", "x.db", *force], 2)
                self.assertEqual(result.out, "", "nothing is measured")
                self.assertEqual(len(result.faults()), 1, result)
                self.assertIn("' given, which is the store of --db; allowed: another file", result.err)
        for args in ([*RUN, "--trajectory", "new.csv", "--db", "./new.csv"], [*WP, "--out", "a.csv", "--db", "a.components.csv"]):
            result = self.run_tool([*args, "--force"], 2)
            self.assertIn("which is the store of --db", result.err, "though it is still to be made")
        with open(self.at("x.db"), "rb") as f:
            self.assertEqual(f.read(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["hard.html", "soft.csv", "x.db"])

    def test_files_of_other_people_stay_and_ours_are_replaced(self):
        self.put("plan.toml", 'problems = "rober"\nsolvers = "radau5"\nrtol = 1e-4\nrepeat = 1\n')
        self.run_tool(["campaign", "plan.toml"])
        names = ["a.csv", "a.json", "a.svg", "a.html", "a.gp", "a.tex"]
        outs = [word for name in names for word in ("--out", name)]
        commands = {"t.csv": [*RUN, "--trajectory", "t.csv"], "r.html": ["report", "--out", "r.html"], **{n: [*WP, *outs] for n in names}}
        for args in ([*WP, *outs], commands["t.csv"], commands["r.html"]):
            self.run_tool(args)
            self.run_tool(args)  # every kind is known again
        for name, args in commands.items():
            with self.subTest(name):
                self.put(name, "my own notes\n")
                result = self.run_tool(args, 2)
                self.assertIn(f"'{name}' was not written by ivp", result.err)
                self.assertEqual(self.text(name), "my own notes\n")
                os.remove(self.at(name))
        self.put("t.csv", "my own notes\n")
        self.run_tool([*commands["t.csv"], "--force"])
        self.assertTrue(self.text("t.csv").startswith("t,A,"))

    def test_open_files_are_written_as_they_are(self):
        def by_shell(words):
            done = subprocess.run(["bash", "-c", words, "bash", tool.TOOL, *RUN, "--repeat", "1"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            return done.stdout

        for words, name in (('"$@" --trajectory /dev/stdout', None), ('"$@" --trajectory /dev/stdout > all', "all"),
                            ('echo before > all; "$@" --trajectory /dev/fd/1 >> all', "all"), ('"$@" --trajectory /dev/stderr 2> err', "err"),
                            ('"$@" --trajectory /dev/fd/7 7> seven', "seven"), ('"$@" --trajectory /dev/fd/7 7>&1 | cat', None),
                            ('"$@" --trajectory >(cat > sub) > /dev/null; for k in $(seq 100); do grep -q ^1e.11, sub && break; sleep 0.1; done; cat sub', None),
                            ("ln -s /dev/stdout to; " + '"$@" --trajectory to', None)):
            with self.subTest(words):
                out = by_shell(words)
                text = self.text(name) if name else out
                self.assertRegex(text, "(?m)^(before\n)?t,A,B,C\n0,1,0,0\n")
                if name == "all" or "sub" not in words and not name:
                    self.assertLess(text.index("t,A,B,C"), text.index("Solving problem"), "in the order in which they were written")
                    self.assertIn("CPU-time used", text)
        for words, name in (('"$@" > all', "all"), ('"$@"', None)):
            with self.subTest(words):
                out = by_shell(words.replace('"$@"', '"$1" export hires --to ivp --out /dev/stdout'))
                self.assertIn("hires", self.text(name) if name else out)
        self.assertEqual([n for n in os.listdir(self.folder) if n.endswith(".partial")], [])
        with open(self.at("all"), encoding="utf-8") as read_only:
            done = subprocess.run([tool.TOOL, *RUN, "--trajectory", "/dev/stdin"], cwd=self.folder, stdin=read_only, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"cannot write '/dev/stdin': it is open for reading only", done.stderr)

    def test_names_that_say_something_to_other_programs(self):
        measure = ["wp", "hires", "--solvers", "radau5", "--rtol", "1e-4", "--repeat", "1", "--out"]
        self.run_tool([*measure, "g'$(x) #%.gp"])
        self.assertIn("gnuplot 'g'\\''$(x) #%.gp'\n", self.text("g'$(x) #%.gp").splitlines(keepends=True)[0])
        self.run_tool([*measure, "|touch seen.gp"])
        self.assertIn("set output './|touch seen.svg'", self.text("|touch seen.gp"))

    def test_messages_repeat_only_the_beginning_of_what_was_given(self):
        much = "a" * 100_000
        for args in ([much], ["run", much, "radau5"], ["run", "hires", "radau5", "--rtol", much], ["run", "hires", "radau5", "--rtol=" + much],
                     ["wp", "hires", "--rtol", "1e-3," + much], ["run", "hires", "radau5", "--set", "k=" + much], ["run", "hires", "radau5", "--" + much]):
            done = tool.run(args, cwd=self.folder)
            self.assertEqual(done.code, 2)
            self.assertLess(len(done.err), 1000, done.args[0][:20])

    def test_links_modes_and_what_stands_beside(self):
        os.mkdir(self.at("there"))
        os.symlink("there/real.csv", self.at("link.csv"))
        self.put("there/real.csv.partial", "somebody's")
        self.run_tool([*RUN, "--trajectory", "link.csv"])
        os.chmod(self.at("there/real.csv"), 0o640)
        self.run_tool([*RUN, "--trajectory", "link.csv"])
        self.assertTrue(os.path.islink(self.at("link.csv")))
        self.assertEqual(os.stat(self.at("there/real.csv")).st_mode & 0o777, 0o640)
        self.assertEqual(self.text("there/real.csv.partial"), "somebody's")
        self.assertEqual(sorted(os.listdir(self.at("there"))), ["real.csv", "real.csv.partial"])

    def test_commas_and_apostrophes_in_names(self):
        for name in ("it's, so.csv", 'say "x".csv'):
            self.run_tool([*RUN, "--trajectory", name])
            self.assertTrue(self.text(name).startswith("t,A,"))
        self.run_tool([*WP, "--out", "it's, so.gp"])
        self.assertIn("set output 'it''s, so.svg'", self.text("it's, so.gp"))
        if shutil.which("gnuplot"):
            subprocess.run(["gnuplot", "it's, so.gp"], cwd=self.folder, check=True)
            self.assertTrue(os.path.exists(self.at("it's, so.svg")))
        shutil.copy(tool.example("rosenbrock"), self.at("a,b's.so"))
        result = self.run_tool(["wp", "rober,vdpol", "--solvers", "radau5,./a,b's.so,rodas", "--rtol", "1e-4", "--repeat", "1"])
        self.assertIn("rodas", result.out)
        self.assertIn("rosenbrock", result.out)

    def test_no_text_commands_the_terminal(self):
        self.put("plan.toml", 'problems = "rober"\nsolvers = "radau5"\nrtol = 1e-4\nrepeat = 1\n')
        self.run_tool(["campaign", "plan.toml"])
        self.run_tool(["query", "SELECT 1"])
        select = "SELECT 'a' || char(27) || '[2J' || char(155) || char(8238) || 'b' || char(13) || 'c'"
        for args in (
            ["run", HOSTILE, "radau5", "--rtol", "1e-4"],
            ["show", HOSTILE],
            ["query", select],
            ["query", select, "--format", "csv"],
            ["campaign", HOSTILE],
            ["report", "--db", HOSTILE],
        ):
            with self.subTest(args[0]):
                _, out = on_terminal(args, self.folder)
                shown = out.decode("utf-8").replace("\r\n", "\n")  # the terminal's own ends of lines
                self.assertIn("\ufffd[2J", shown)
                for control in "\x1b\x9b\u202e\r":
                    self.assertNotIn(control, shown)
        self.assertIn("\x1b[2J", self.run_tool(["query", select]).out, "a pipe gets the data as they are")

    def test_what_a_plugin_prints_does_not_command_the_terminal(self):
        hostile = os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins", "hostile.so")
        for command in (["run", "rober", hostile, "--rtol", "1e-4", "--repeat", "1"],
                        ["wp", "rober", "--solvers", hostile, "--rtol", "1e-4", "--repeat", "1"]):
            with self.subTest(command[0]):
                _, out = on_terminal([*command, "--opt", "deed=25"], self.folder)
                shown = out.decode("utf-8").replace("\r\n", "\n").replace("\r\x1b[K", "")  # our own progress
                self.assertEqual((shown.count("printed by the work\n"), shown.count("\ufffd[2Jby its child\n")), (3000, 1), shown[-2000:])
                self.assertNotIn("past all guards", shown)
                for control in "\x1b\x9b\r":
                    self.assertNotIn(control, shown)
                self.assertIn("rober" if command[0] == "wp" else "Solving problem ROBER", shown)

    def test_progress_is_drawn_on_a_terminal(self):
        code, out = on_terminal([*WP[:-2], "--repeat", "1"], self.folder)
        self.assertEqual(code, 0)
        self.assertIn(b"\r\x1b[Kmeasuring 1/1: rober", out)
        self.assertIn(b"radau5", out)

    def test_a_hostile_plan_is_refused_in_a_line(self):
        self.put("plan.toml", 'name = "x\\ntouch gone"\nproblems = "rober"\nsolvers = "radau5"\nrepeat = 4294967297\nmemory_gib = 1e300\n')
        result = self.run_tool(["campaign", "plan.toml", "--slurm=parts=1", "--dry-run"], 2)
        self.assertEqual(len(result.faults()), 3, result)
        self.assertEqual(os.listdir(self.folder), ["plan.toml"])


if __name__ == "__main__":
    unittest.main()
