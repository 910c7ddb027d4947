"""`ivp help` and `ivp completion` as a user meets them: the shells themselves read what is printed."""
import os
import shutil
import subprocess
import tempfile
import unittest

import tool


def answers(script, *words):
    """What bash offers for the last word."""
    ask = '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ivp; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", ask, "bash", script, *words], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, shell):
        result = tool.run(["completion", shell])
        self.assertEqual((result.code, result.err), (0, ""))
        path = os.path.join(self.folder.name, shell)
        with open(path, "w", encoding="utf-8") as f:
            f.write(result.out)
        return path

    def test_bash(self):
        script = self.script("bash")
        self.assertIn("run", answers(script, "ivp", "r"))
        self.assertEqual(answers(script, "ivp", "run", "hir"), ["hires"])
        self.assertEqual(answers(script, "ivp", "run", "hires", "rada"), ["radau5", "radau"])
        self.assertEqual(answers(script, "ivp", "run", "hires", "radau5", "--jacobian", ""), ["exact", "differences", "original"])
        self.assertEqual(answers(script, "ivp", "wp", "hires", "--solvers", "radau5,roda"), ["radau5,rodas"])
        self.assertEqual(answers(script, "ivp", "help", "camp"), ["campaign"])

    def test_other_shells_can_read_theirs(self):
        for shell in ("zsh", "fish"):
            with self.subTest(shell):
                script = self.script(shell)
                if shutil.which(shell) is None:
                    self.skipTest(f"{shell} is not installed: its completion was written but not read")
                done = subprocess.run([shell, "-n", script], stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_shell_is_refused(self):
        result = tool.run(["completion", "tcsh"])
        self.assertEqual((result.code, result.out), (2, ""))
        for word in ("tcsh", "bash", "zsh", "fish"):
            self.assertIn(word, result.err)


class Help(unittest.TestCase):
    def test_of_the_tool_and_of_a_command(self):
        self.assertEqual(tool.run(["help"]).out, tool.run(["--help"]).out)
        self.assertEqual(tool.run(["help", "run"]).out, tool.run(["run", "--help"]).out)

    def test_unknown_command(self):
        result = tool.run(["help", "rum"])
        self.assertEqual(result.code, 2)
        self.assertIn("did you mean 'run'", result.err)

    def test_manual_page(self):
        result = tool.run(["help", "--format", "man"])
        self.assertTrue(result.out.startswith(".TH IVP 1"))
        for command in ("run", "wp", "campaign", "detest"):
            self.assertIn(f'.SS "ivp {command}', result.out)


if __name__ == "__main__":
    unittest.main()
