"""A text is a problem wherever a problem is accepted."""

import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

EXAMPLES = os.path.join(tool.setting("IVP_SOURCE"), "examples", "08_models_in_text")
DECAY = "interval 0 .. 1\nparameter k = 1 in 0 .. 10\nstate x = 1\nx' = -k*x\n"


class Texts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        cache = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.folder, "cache")
        self.addCleanup(lambda: os.environ.pop("XDG_CACHE_HOME") if cache is None else os.environ.update(XDG_CACHE_HOME=cache))
        self.write("decay.ivp", DECAY)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def ivp(self, *args, code=0):
        result = tool.run(list(args), cwd=self.folder)
        self.assertEqual(result.code, code, result)
        return result

    def test_run(self):
        record = self.ivp("run", "decay.ivp", "radau5", "--rtol", "1e-6", "--repeat", "1", "--format", "json").json()
        self.assertEqual((record["problem"], record["problem_origin"], record["outcome"]), ("decay", "text", "success"))
        self.assertAlmostEqual(record["y"][0], 0.36787944117, places=6)
        other = self.ivp("run", "./decay.ivp", "dopri5", "--set", "k=2", "--rtol", "1e-6", "--repeat", "1", "--format", "json").json()
        self.assertAlmostEqual(other["y"][0], 0.13533528323, places=5)

    def test_same_counts_without_a_compiler(self):
        def counts():
            r = self.ivp("run", os.path.join(EXAMPLES, "hires.ivp"), "radau5", "--rtol", "1e-7", "--repeat", "1", "--format", "json").json()
            return r["y"], r["steps"], r["nfev"], r["njac"], r["nlu"]
        compiled = counts()
        os.environ["IVP_TEXT_COMPILER"] = "none"
        self.addCleanup(os.environ.pop, "IVP_TEXT_COMPILER", None)
        self.assertEqual(counts(), compiled)
        os.environ["IVP_TEXT_COMPILER"] = "no-such-compiler"
        self.assertEqual(counts(), compiled)

    def test_listing_and_chapter_say_how_the_text_is_evaluated(self):
        run = ["run", "decay.ivp", "radau5", "--rtol", "1e-6", "--repeat", "1"]
        compiled = self.ivp(*run, "--format", "json").json()["extra"]["text_compiled"] == 1
        shown = self.ivp("show", "decay.ivp").out
        self.assertEqual("evaluation of the text:     compiled\n" in self.ivp(*run).out, compiled)
        self.assertEqual("Runs evaluate this text compiled, by " in shown, compiled)
        os.environ["IVP_TEXT_COMPILER"] = "none"
        self.addCleanup(os.environ.pop, "IVP_TEXT_COMPILER", None)
        self.assertIn("evaluation of the text:     a list of instructions", self.ivp(*run).out)
        self.assertIn("as a list of instructions: IVP_TEXT_COMPILER is 'none'.", self.ivp("show", "decay.ivp").out)
        self.assertNotIn("evaluation of the text", self.ivp("run", "vdpol", "radau5", "--rtol", "1e-4", "--repeat", "1").out)
        self.assertNotIn("Runs evaluate this text", self.ivp("show", "vdpol").out)

    def test_more_outputs_than_a_record_has_room_for(self):
        many = 1200
        self.write("many.ivp", "problem many\ninterval 0 .. 1\nstate x = 1\n" + "".join(f"let a{k} = {k}*x\noutput a{k}\n" for k in range(many)) + "x' = -x\n")
        run = ["run", "many.ivp", "radau5", "--rtol", "1e-6", "--repeat", "1", "--db", "a.db"]
        extra = self.ivp(*run, "--format", "json").json()["extra"]
        self.assertEqual(len([name for name in extra if name.startswith("output_")]), 500)
        self.assertEqual(extra["outputs_left_out"], many - 500)
        self.assertIn("and 700 more; --trajectory writes all of them", self.ivp(*run, "--trajectory", "t.csv").out)
        with open(os.path.join(self.folder, "t.csv"), encoding="utf-8") as f:
            self.assertIn(f",a{many - 1}", f.readline())

    def test_reference_is_derived(self):
        answer = self.ivp("reference", "decay.ivp", "--at", "1", "--format", "json").json()
        self.assertIn("3.67879441171442321595", json.dumps(answer))

    def test_check_show_wp_choose(self):
        self.ivp("check", "decay.ivp")
        self.assertIn("Mathematical description", self.ivp("show", "decay.ivp").out)
        self.assertIn("<math", self.ivp("show", "decay.ivp", "--format", "html").out)
        self.ivp("wp", "decay.ivp", "--solvers", "radau5,dopri5", "--rtol", "1e-4:1e-5:1", "--repeat", "1", "--out", "wp.csv")
        answer = self.ivp("choose", "decay.ivp", "--digits", "5", "--solvers", "radau5,dopri5,rodas", "--budget", "200", "--format", "json").json()
        self.assertIsNotNone(answer["answer"])

    def test_campaign_is_stored_by_content(self):
        self.write("plan.toml", 'name = "texts"\n[[runs]]\nproblems = ["./decay.ivp"]\nsolvers = ["radau5"]\nrtol = [1e-4]\nrepeat = 1\n')

        def contents():
            self.ivp("campaign", "plan.toml", "--db", "texts.db", "--jobs", "1")
            rows = json.loads(self.ivp("query", "--db", "texts.db", "SELECT problem_origin, problem_content FROM runs", "--format", "json").out)
            return {tuple(r.values()) for r in rows}
        first = contents()
        self.assertEqual(len(first), 1)
        self.assertEqual(contents(), first)
        self.write("decay.ivp", DECAY + "# another text\n")
        self.assertEqual(len(contents()), 2)

    def test_faults(self):
        self.write("wrong.ivp", "interval 0 .. 1\nstate x = 1\nx' = -k*x +\ny' = 2\n")
        result = self.ivp("run", "wrong.ivp", "radau5", "--rtol", "1e-4", code=2)
        self.assertEqual(result.out, "")
        self.assertEqual(len(result.faults()), 2, result)
        self.assertIn("ivp: wrong.ivp:3:12: the end of the line found; allowed here: a number, a name or '('\n  x' = -k*x +\n             ^\n", result.err)
        self.assertIn("wrong.ivp:4:1: unknown name 'y'", result.err)
        self.assertIn("cannot read", self.ivp("run", "nowhere.ivp", "radau5", "--rtol", "1e-4", code=2).err)

    def test_network(self):
        out = self.ivp("network", os.path.join(EXAMPLES, "hires.ivp"), "--graph", "hires.svg").out
        for line in ("Nodes N (10):", "Disjoint parts (2):", "PfrX_E + E = constant", "tau(1) = oks"):
            self.assertIn(line, out)
        with open(os.path.join(self.folder, "hires.svg"), encoding="utf-8") as f:
            self.assertIn("</svg>", f.read())
        answer = self.ivp("network", os.path.join(EXAMPLES, "rober.ivp"), "--format", "json").json()
        self.assertEqual(answer["conservation_laws"], ["A + B + C"])
        self.assertLess(answer["watch"]["drift"][0], 1e-9)
        self.assertIn("no reactions", self.ivp("network", "decay.ivp", code=2).err)
        self.assertIn("allowed: a text", self.ivp("network", "hires", code=2).err)


if __name__ == "__main__":
    unittest.main()
