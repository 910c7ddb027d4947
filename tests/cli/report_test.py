"""`ivp report` as a user meets it: from a store to one file; plug-ins; wrong use. What a browser shows is tested in tests/browser."""

import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

PENDULUM = os.path.join(tool.setting("IVP_BUILD"), "tests", "drivers", "plugins", "pendulum.so")
PLAN = """name = "small"
repeat = 1
rtol = [1e-4, 1e-6]
[[runs]]
problems = ["hires", "caraxis"]
solvers = ["radau5", "bimd"]
[[runs]]
problems = ["{pendulum}"]
solvers = ["radau5"]
"""


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        with open(os.path.join(cls.folder, "plan.toml"), "w", encoding="utf-8") as f:
            f.write(PLAN.format(pendulum=PENDULUM))
        made = tool.run(["campaign", "plan.toml", "--db", "x.db"], cwd=cls.folder)
        if made.code != 0:
            raise AssertionError(str(made))

    def page(self, *args, db="x.db"):
        result = tool.run(["report", "--db", db, "--out", "x.html", *args], cwd=self.folder)
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertIn("x.html", result.out)
        with open(os.path.join(self.folder, "x.html"), encoding="utf-8") as f:
            return f.read()

    def test_a_chapter_for_each_problem_and_solver(self):
        page = self.page()
        for name in tool.catalog("problems"):
            self.assertIn(f'id="problem-{name}"', page)
        for name in tool.catalog("solvers"):
            self.assertIn(f'id="solver-{name.replace("_", "-")}"', page)
        self.assertIn("<strong>10</strong> runs", page)
        self.assertIn("ivp run hires radau5", page)

    def test_the_same_store_gives_the_same_bytes(self):
        before = self.page()
        shutil.copy(os.path.join(self.folder, "x.db"), os.path.join(self.folder, "copy.db"))
        self.assertEqual(before, self.page(db="copy.db"))

    def test_a_problem_that_exists_only_at_run_time(self):
        without = self.page()
        self.assertIn('id="problem-pendulum-plug-in"', without)
        self.assertIn("--plug-in", without)
        page = self.page("--plug-in", PENDULUM)
        chapter = page.split('id="problem-pendulum-plug-in"')[1].split("</article>")[0]
        self.assertIn("<p>It swings.</p>", chapter)
        self.assertIn("<mi>λ</mi>", chapter)
        self.assertIn("wrong_answer", chapter)  # its reference is made up, and the page says so

    def test_a_text_is_a_problem_too(self):
        text = os.path.join(self.folder, "decay.ivp")
        with open(text, "w", encoding="utf-8") as f:
            f.write("interval 0 .. 1\nstate x = 1\nx' = -x\n")
        done = tool.run(["run", text, "radau5", "--rtol", "1e-4", "--repeat", "1", "--db", "text.db"], cwd=self.folder)
        self.assertEqual(done.code, 0, done)
        without = self.page(db="text.db")
        self.assertIn("FILE is the file of the problem: a text, a plug-in or a Fortran file.", without)
        page = self.page("--plug-in", text, db="text.db")
        self.assertNotIn("FILE is the file of the problem", page)
        chapter = page.split('id="problem-decay-text"')[1].split("</article>")[0]
        self.assertIn("Behaviour of the solution", chapter)
        self.assertIn("<figure class=\"courses\">", chapter)

    def test_wrong_use(self):
        result = tool.run(["report", "--db", "nosuch.db", "--out", "y.pdf", "--plug-in", "nosuch.so"], cwd=self.folder)
        self.assertEqual((result.code, result.out), (2, ""))
        for word in ("--db: 'nosuch.db'", "--out: 'y.pdf'", "'nosuch.so'"):
            self.assertIn(word, result.err)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "y.pdf")))
        self.assertEqual(tool.run(["report", "--db", "plan.toml"], cwd=self.folder).code, 2)


if __name__ == "__main__":
    unittest.main()
