"""Campaigns on Slurm: --slurm submits, watches, repeats and merges.

WithoutSlurm has a stand-in for sbatch and squeue; WithSlurm starts a real cluster, and is skipped where Slurm is not installed.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import slurm_cluster  # noqa: E402
import tool  # noqa: E402

SMALL = """
repeat = 1
problems = ["hires", "rober", "vdpol"]
solvers = ["radau5", "dassl"]
rtol = [1e-4, 1e-6]
"""
RUNS = 12

# Tasks are run at once, one after the other. The file `orders` says what becomes of the next ones: a line "PART WORD", used up by its task.
# WORD is a state of Slurm in which the task ends without having done anything, or an exit code it leaves, or LATE: its store is seen later.
SBATCH = r"""#!/bin/sh
cd "$(dirname "$0")"
[ ! -e refuse ] || { sh ./refuse; echo "sbatch: error: invalid account or partition" >&2; exit 1; }
for word; do
    case $word in --array=*) array=${word#--array=} ;; esac
    script=$word
done
job=$(($(cat job 2>/dev/null || echo 40) + 1)); echo $job > job
echo "$array" >> arrays
[ ! -e meanwhile ] || sh ./meanwhile
for range in $(echo "$array" | tr , ' '); do
    for part in $(seq "${range%-*}" "${range#*-}"); do
        word=$(grep -m 1 "^$part " orders 2>/dev/null | cut -d ' ' -f 2)
        [ -z "$word" ] || sed -i "0,/^$part /{/^$part /d}" orders
        case $word in
        [0-9]*) echo "$word" > "$(dirname "$script")/part-$part.job-$job.code"; state=FAILED
                echo "ivp: told to" > "$(dirname "$script")/part-$part.job-$job.log" ;;
        LATE) SLURM_ARRAY_TASK_ID=$part SLURM_ARRAY_JOB_ID=$job sh "$script" > /dev/null 2>&1; state=COMPLETED
              db=$(dirname "$script")/part-$part.job-$job.db; mv "$db" late.db
              (sleep 2; mv late.db "$db") > /dev/null 2>&1 & ;;
        ?*) state=$word ;;
        *) SLURM_ARRAY_TASK_ID=$part SLURM_ARRAY_JOB_ID=$job sh "$script" > /dev/null 2>&1; state=COMPLETED ;;
        esac
        echo "$part|$state|None|node$part" >> queue-$job
    done
done
echo "$job;cluster"
"""
SQUEUE = r"""#!/bin/sh
cd "$(dirname "$0")"
for word; do case $word in --jobs=*) job=${word#--jobs=} ;; esac; done
[ -e "queue-$job" ] || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }
cat "queue-$job"
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ivp-slurm-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.env = {}
        self.write("small.toml", SMALL)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def ivp(self, *args, code=0):
        result = tool.run(list(args), cwd=self.folder, env=self.env)
        self.assertEqual(result.code, code, result)
        return result

    def same_as_on_one_machine(self, db):
        self.ivp("campaign", "small.toml", "--db", "plain.db")
        compared = self.ivp("compare", "plain.db", db).out
        self.assertIn(f"{RUNS} runs are in both", compared)


class WithoutSlurm(Folder):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE)):
            self.write("bin/" + name, text)
            os.chmod(self.path("bin", name), 0o755)
        self.env = {"PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def arrays(self):
        with open(self.path("bin", "arrays"), encoding="utf-8") as f:
            return f.read().split()

    def test_parts_are_merged_and_not_made_again(self):
        r = self.ivp("campaign", "small.toml", "--slurm=parts=4", "--db", "a.db")
        self.assertIn(f"small: 4 of 4 parts finished; {RUNS} runs added to a.db", r.out)
        self.same_as_on_one_machine("a.db")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=4", "--db", "a.db")
        self.assertIn("4 of 4 parts finished; 0 runs added", r.out)
        self.assertEqual(self.arrays(), ["1-4"])
        shutil.rmtree(self.path("a.db.slurm"))
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3", "--db", "a.db")
        self.assertIn("3 of 3 parts finished (3 of them stored before)", r.out)
        self.assertEqual(self.arrays(), ["1-4"], "what is in the store is not submitted")

    def test_failed_parts_are_repeated_with_the_reason(self):
        self.write("bin/orders", "2 NODE_FAIL\n4 TIMEOUT\n2 137\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=4", "--db", "a.db")
        self.assertEqual(self.arrays(), ["1-4", "2,4", "2"])
        self.assertIn("part 2 failed (NODE_FAIL on node2, without an exit code); repetition 1 of at most 3", r.err)
        self.assertIn("part 4 failed (TIMEOUT on node4, without an exit code); repetition 1 of at most 3", r.err)
        self.assertIn("part 2 failed (exit code 137: ivp: told to); repetition 2 of at most 3", r.err)
        self.assertIn(f"4 of 4 parts finished, 3 repetitions; {RUNS} runs added", r.out)
        self.same_as_on_one_machine("a.db")

    def test_repetitions_are_bounded_and_the_rest_is_kept(self):
        self.write("bin/orders", "1 NODE_FAIL\n1 OUT_OF_MEMORY\n2 2\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3,repeats=1", "--db", "a.db", code=1)
        self.assertEqual(self.arrays(), ["1-3", "1"], "exit code 2 would only come again")
        self.assertIn("Gave up part 1: OUT_OF_MEMORY on node1", r.out)
        self.assertIn("Gave up part 2: exit code 2: ivp: told to", r.out)
        self.assertIn("1 of 3 parts finished, 1 repetition; 4 runs added", r.out)
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3,repeats=1", "--db", "a.db")
        self.assertIn("3 of 3 parts finished", r.out, "a new call is a new chance")
        self.same_as_on_one_machine("a.db")

    def test_a_store_that_is_seen_late_is_waited_for(self):
        self.write("bin/orders", "2 LATE\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3", "--db", "a.db")
        self.assertIn(f"3 of 3 parts finished; {RUNS} runs added", r.out)
        self.assertEqual(self.arrays(), ["1-3"])
        self.same_as_on_one_machine("a.db")

    def test_what_a_person_cancels_is_not_repeated(self):
        self.write("bin/orders", "2 CANCELLED\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3", "--db", "a.db", code=1)
        self.assertIn("Gave up part 2: CANCELLED on node2", r.out)
        self.assertEqual(self.arrays(), ["1-3"])

    def test_without_waiting(self):
        r = self.ivp("campaign", "small.toml", "--slurm=parts=2,nowait", "--db", "a.db")
        self.assertIn("0 of 2 parts finished; 0 runs added", r.out)
        self.assertIn("Under way: array 41; the same command continues, 'scancel 41' ends the array", r.out)
        r = self.ivp("campaign", "small.toml", "--slurm=parts=2,nowait", "--db", "a.db")
        self.assertIn(f"2 of 2 parts finished; {RUNS} runs added", r.out)
        self.assertEqual(self.arrays(), ["1-2"])

    def test_another_plan_waits_for_the_array_of_the_first(self):
        self.ivp("campaign", "small.toml", "--slurm=parts=2,nowait", "--db", "a.db")
        for part in (1, 2):
            os.remove(self.path("a.db.slurm", f"part-{part}.job-41.code"))
        self.write("bin/queue-41", "1|RUNNING|None|node1\n2|PENDING|Resources|\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3", "--db", "a.db", code=2)
        self.assertIn("array 41 of another plan (or of another version of this one) has not ended; end it with 'scancel 41'", r.err)
        self.write("bin/queue-41", "1|CANCELLED|None|node1\n2|CANCELLED|None|\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=3", "--db", "a.db")
        self.assertIn(f"; {RUNS} runs added", r.out)
        self.assertEqual(self.arrays(), ["1-2"], "what the cancelled tasks had measured is not measured again")

    def test_the_tasks_get_the_plan_that_was_read(self):
        self.write("bin/meanwhile", "cp ../changed.toml ../small.toml\n")
        self.write("changed.toml", SMALL.replace("1e-6", "1e-5"))
        self.write("bin/orders", "2 NODE_FAIL\n")
        self.ivp("campaign", "small.toml", "--slurm=parts=2", "--db", "a.db")
        self.assertEqual(self.arrays(), ["1-2", "2"])
        with open(self.path("a.db.slurm", "small.toml"), encoding="utf-8") as f:
            self.assertEqual(f.read(), SMALL, "and not what the file has become until the repetition")
        self.write("small.toml", SMALL)
        self.same_as_on_one_machine("a.db")

    def test_without_its_record_an_array_is_waited_for_and_merged(self):
        for fate in ("damaged", "empty", "missing"):
            db = fate + ".db"
            self.ivp("campaign", "small.toml", "--slurm=parts=2,nowait", "--db", db)
            job = max(int(name.split("-")[1]) for name in os.listdir(self.path("bin")) if name.startswith("queue-"))
            submitted = self.arrays()
            if fate == "missing":
                os.remove(self.path(db + ".slurm", "array.json"))
            else:
                self.write(db + ".slurm/array.json", "{" if fate == "damaged" else "")
            self.write(db + ".slurm/part-notes.txt", "mine")
            for part in (1, 2):
                os.remove(self.path(db + ".slurm", f"part-{part}.job-{job}.code"))
            self.write(f"bin/queue-{job}", "1|COMPLETED|None|node1\n2|RUNNING|None|node2\n")
            r = self.ivp("campaign", "small.toml", "--slurm=parts=2", "--db", db, code=2)
            self.assertIn(f"array {job} of an earlier call has not ended; end it with 'scancel {job}'", r.err)
            self.assertEqual("array.json' is damaged (" in r.err, fate != "missing", r)
            os.remove(self.path("bin", f"queue-{job}"))  # Slurm forgets
            r = self.ivp("campaign", "small.toml", "--slurm=parts=2", "--db", db)
            self.assertIn(f"2 of 2 parts finished (2 of them stored before); {RUNS} runs added", r.out)
            self.assertEqual(self.arrays(), submitted, "nothing is measured again")
            self.assertEqual(sorted(os.listdir(self.path(db + ".slurm"))), ["array.json", "array.sh", "part-notes.txt", "small.toml"])

    def test_an_array_that_has_not_begun_is_known_without_its_record(self):
        self.ivp("campaign", "small.toml", "--slurm=parts=2,nowait", "--db", "a.db")
        for name in os.listdir(self.path("a.db.slurm")):
            if name.startswith("part-") or name == "array.json":
                os.remove(self.path("a.db.slurm", name))
        self.write("bin/queue-41", "1|PENDING|Resources|\n2|PENDING|Resources|\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=2", "--db", "a.db", code=2)
        self.assertIn("array 41 of an earlier call has not ended", r.err)
        self.write("bin/squeue", "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm controller' >&2\nexit 1\n")
        r = self.ivp("campaign", "small.toml", "--slurm=parts=2", "--db", "a.db", code=2)
        self.assertIn("array 41 of an earlier call may be under way: squeue does not answer", r.err)
        self.assertEqual(self.arrays(), ["1-2"])

    def test_stores_that_cannot_be_merged_stay(self):
        self.ivp("campaign", "small.toml", "--slurm=parts=2,nowait", "--db", "a.db")
        self.write("other.toml", SMALL.replace("1e-6", "1e-5"))
        self.write("a.db.slurm/part-1.job-40.db", "no store")  # of an attempt that is not remembered
        self.ivp("campaign", "other.toml", "--slurm=parts=2", "--db", "a.db", code=2)
        for name in ("part-1.job-40.db", "part-1.job-41.db", "part-2.job-41.db"):
            self.assertIn(name, os.listdir(self.path("a.db.slurm")))
        self.assertEqual(self.arrays(), ["1-2"])

    def test_a_refused_array_leaves_nothing(self):
        self.write("bin/refuse", "")
        r = self.ivp("campaign", "small.toml", "--slurm", "--db", "a.db", code=2)
        self.assertIn("sbatch refuses the array: sbatch: error: invalid account or partition", r.err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bin", "small.toml"])

    def test_a_refused_array_takes_nothing_of_others_away(self):
        self.ivp("campaign", "small.toml", "--db", "plain.db")
        os.mkdir(self.path("a.db.slurm"))
        self.write("a.db.slurm/part-notes.txt", "mine")
        self.write("a.db.slurm/small.toml", SMALL)
        self.write("bin/refuse", f"{shlex.quote(tool.TOOL)} merge ../a.db ../plain.db > /dev/null\n")
        self.ivp("campaign", "a.db.slurm/small.toml", "--slurm", "--db", "a.db", code=2)
        self.assertEqual(sorted(os.listdir(self.path("a.db.slurm"))), ["part-notes.txt", "small.toml"], "a folder that was there, and the plan in it")
        self.assertIn(f"{RUNS} runs are in both", self.ivp("compare", "plain.db", "a.db").out, "another program has filled the store meanwhile")

    def test_unavailable_where_there_is_no_slurm(self):
        self.env = {"PATH": self.path("nowhere")}
        r = self.ivp("campaign", "small.toml", "--slurm", code=3)
        self.assertIn("Slurm is unavailable: there is no 'sbatch'", r.err)
        self.assertNotIn("ivp.db", os.listdir(self.folder))

    def test_faults_at_once(self):
        r = self.ivp("campaign", "none.toml", "--slurm=parts=0,soon", "--sbatch=x", "--jobs", "1", "--shard", "1/2", "--no-resume", code=2)
        self.assertEqual(len(r.faults()), 7, r)
        r = self.ivp("campaign", "small.toml", "--sbatch=--account=x", code=2)
        self.assertIn("--sbatch: allowed only together with --slurm", r.err)

    def test_dry_run_shows_the_script(self):
        r = self.ivp("campaign", "small.toml", "--slurm=parts=2", "--sbatch=--account=chem", "--dry-run")
        self.assertIn("#SBATCH --array=1-2\n", r.out)
        self.assertIn("#SBATCH --account=chem\n", r.out)
        self.assertIn(f"small: {RUNS} runs, 0 of them stored", r.out)
        self.assertNotIn("ivp.db.slurm", os.listdir(self.folder))


MISSING = slurm_cluster.missing()


@unittest.skipIf(MISSING, f"Slurm is unavailable: {', '.join(MISSING)} not installed (Debian: slurm-wlm, munge)")
class WithSlurm(Folder):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("cluster"))
        os.chmod(self.folder, 0o755)
        self.cluster = slurm_cluster.Cluster(self.path("cluster"))
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.env = self.cluster.env

    def test_an_array_to_its_end(self):
        r = self.ivp("campaign", "small.toml", "--slurm=parts=4,partition=main,time=5", "--sbatch=--comment=two words", "--db", "a.db")
        self.assertIn(f"small: 4 of 4 parts finished; {RUNS} runs added to a.db", r.out)
        self.same_as_on_one_machine("a.db")
        r = self.ivp("campaign", "small.toml", "--slurm=partition=nowhere", "--db", "b.db", code=2)
        self.assertIn("invalid partition specified: nowhere", r.err)

    def test_the_part_of_a_killed_node_is_repeated(self):
        # Each part takes seconds, so that there is something to kill; a run has at most 1000 samples, and these are no short ones.
        self.write("long.toml", SMALL.replace("repeat = 1", "min_time = 2").replace('"hires", "rober", "vdpol"', '"emep", "ringmod", "beam"'))
        watch = subprocess.Popen([tool.TOOL, "campaign", "long.toml", "--slurm=parts=3", "--db", "a.db"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **self.env})
        self.addCleanup(watch.kill)
        self.cluster.until(lambda: any(name.endswith(".db") for name in self.of_node("node1")), "store of a task on node1")
        time.sleep(1)
        self.cluster.kill_node("node1")
        said = watch.communicate(timeout=400)[0]
        self.assertEqual(watch.returncode, 0, said + self.cluster.told())
        self.assertRegex(said, r"part \d failed \(NODE_FAIL on node1.*\); repetition 1 of at most 3")
        self.assertIn("3 of 3 parts finished, 1 repetition;", said)
        count = self.ivp("query", "--db", "a.db", "--format", "csv", "SELECT count(*) AS n, count(DISTINCT setting) AS m FROM runs").out
        self.assertEqual(count, f"n,m\n{RUNS},{RUNS}\n")

    def of_node(self, node):
        """Files of the parts that are on the node now."""
        parts = [line.split("|")[0] for line in self.cluster.ask("squeue", "--noheader", "--array", "--format=%K|%T|%N").splitlines()
                 if line.endswith("|RUNNING|" + node)]
        folder = self.path("a.db.slurm")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return [name for name in names for part in parts if name.startswith(f"part-{part}.")]


if __name__ == "__main__":
    unittest.main()
