"""The Python package as a user meets it. Skipped (exit code 77) where it was not built or NumPy is missing."""

import ast
import gc
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

SKIPPED = 77

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed (Debian: python3-numpy)")
    sys.exit(SKIPPED)
if not os.environ.get("IVP_PYTHON_PACKAGE"):
    print("skipped: the package was not built (-DIVP_BUILD_PYTHON=ON; Debian: python3-dev, python3-numpy)")
    sys.exit(SKIPPED)
sys.path.insert(0, os.environ["IVP_PYTHON_PACKAGE"])
import ivp


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def vdp(t, y, mu=1000.0):
    return [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]


def vdp_jacobian(t, y, mu=1000.0):
    return [[0, 1], [-2 * mu * y[0] * y[1] - 1, mu * (1 - y[0] ** 2)]]


class Problems(unittest.TestCase):
    def test_facts(self):
        self.assertIn("hires", ivp.problems())
        p = ivp.problem("hires", k1=2)
        self.assertEqual((p.id, p.form, p.n, p.t0, p.structure, p.highest_index), ("hires", "ode", 8, 0.0, "full", 0))
        self.assertEqual(p.parameters["k1"], 2.0)
        self.assertEqual(p.parameter_info[0].default, 1.71)
        self.assertIsNone(p.mass)
        self.assertIsNone(p.reference, "with other parameters it is another problem")
        self.assertEqual(ivp.problem("hires").reference.shape, (8,))
        self.assertTrue(np.all(ivp.problem("hires").reference_digits > 10))

    def test_what_editors_are_told_is_there(self):
        with open(os.path.join(os.path.dirname(ivp.__file__), "_core.pyi")) as text:
            tree = ast.parse(text.read())
        told = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                told[node.name] = {f.name for f in node.body if isinstance(f, ast.FunctionDef)} - {"__init__"}
            elif isinstance(node, ast.FunctionDef):
                told[node.name] = set()
        core = ivp._core
        self.assertEqual(set(told), {name for name in dir(core) if not name.startswith("_")})
        for name in ("Problem", "Solver", "Solution", "Task"):
            self.assertEqual(told[name], {m for m in vars(getattr(core, name)) if not m.startswith("__")}, name)

    def test_evaluations_are_counted(self):
        p = ivp.problem("hires")
        np.testing.assert_allclose(p.f(0, p.y0)[:2], [-1.71 + 0.0007, 1.71])
        np.testing.assert_array_equal(p.f(0, list(p.y0)), p.f(0, p.y0))
        p.jacobian(0.0, p.y0)
        self.assertEqual((p.counts["nfev"], p.counts["njac"]), (3, 1))
        p.begin()
        self.assertEqual(p.counts["nfev"], 0)

    def test_matrices_against_differences(self):
        for name in ("hires", "medakzo", "transamp", "ringmod", "water"):
            p = ivp.problem(name)
            y, h = p.y0 + 1e-3, 1e-7
            exact = dense(p.jacobian(p.t0, y))
            for j in (0, p.n // 2, p.n - 1):
                shifted = y.copy()
                shifted[j] += h
                column = (p.f(p.t0, shifted) - p.f(p.t0, y)) / h
                np.testing.assert_allclose(exact[:, j], column, rtol=1e-3, atol=1e-3 * (1 + np.abs(column).max()), err_msg=f"{name}, column {j}")

    def test_daes_and_ides(self):
        p = ivp.problem("transamp")
        self.assertEqual(p.mass.shape, (8, 8))
        self.assertLess(np.linalg.matrix_rank(p.mass), 8)
        q = ivp.problem("transamp", form="ide")
        np.testing.assert_allclose(q.g(0, q.y0, q.yp0), 0, atol=1e-7)
        self.assertRaises(ivp.Error, q.f, 0, q.y0)
        np.testing.assert_allclose(dense(q.partials(0, q.y0, q.yp0, 0, 1)), p.mass, atol=1e-14)

    def test_a_problem_that_its_function_holds_is_given_back(self):
        class Model:
            def __init__(self):
                self.problem = ivp.problem(self.f, (0, 1), [1.0])

            def f(self, t, y):
                return -y

        model = Model()
        self.assertTrue(ivp.solve(model.problem, "radau5").success)
        kept = weakref.ref(model)
        del model
        gc.collect()
        self.assertIsNone(kept())

    def test_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "decay.ivp")
            with open(path, "w") as out:
                out.write("problem decay\nparameter k = 2 in 0 .. 10\ninterval 0 .. 1\nstate x = 1\nx' = -k*x\n")
            p = ivp.problem(path, k=3)
            np.testing.assert_allclose(p.f(0, [2.0]), [-6.0])

    def test_wrong_use_is_said_in_words(self):
        p = ivp.problem("hires")
        for call, words in ((lambda: p.f(0, np.ones(3)), r"y: an array of shape \(3,\) given; allowed: \(8,\)"),
                            (lambda: ivp.problem("hirse"), "unknown problem 'hirse'"), (lambda: ivp.problem("hires", k99=1), "k99"),
                            (lambda: ivp.solve(p, "radau6"), "unknown solver 'radau6'"),
                            (lambda: ivp.solve(p, "radau5", rtol=-1), "rtol"),
                            (lambda: ivp.solve(p, "radau5", maxstep=1), "unknown setting 'maxstep'; allowed: h0, hmax, max_steps"),
                            (lambda: p.f(0, "abc"), "^y: 'abc' given; allowed: real numbers"), (lambda: ivp.problem("hirse"), r"ivp.problems\(\) names all"),
                            (lambda: ivp.solve(p, "radau5", algebra="x"), "^algebra=x given; allowed: auto"),
                            (lambda: ivp.solve(p, "radau5", nitt=1), "options of radau5: .*nit"),
                            (lambda: ivp.problem(vdp, (0, 1), [2, 0], breakpoints=[3]), r"breakpoints: \[3.0\] given; allowed: increasing times between 0 and 1"),
                            (lambda: ivp.problem(vdp, (0, 1), [2, 0], band=3), "band: 3 given; allowed: two whole numbers"),
                            (lambda: ivp.problem(vdp, (0, 1), [2, 0], index="a"), "index: 'a' given; allowed: real numbers"),
                            (lambda: ivp.solve(ivp.problem("transamp"), "dopri5"), "dopri5"),
                            (lambda: ivp.solve(p, "radau5", t_eval=[1e9]), "t_eval: 1000000000.0 given")):
            self.assertRaisesRegex(ivp.Error, words, call)
        for call, words in ((lambda: p.f("a", p.y0), "^t: 'a' given; allowed: a number"), (lambda: p.f(0, p.y0 + 0j), "y: an array of type complex128 given"),
                            (lambda: ivp.solve(p, "radau5", rtol=[1]), r"rtol: \[1\] given; allowed: a number"),
                            (lambda: ivp.solve(p), "0 arguments after the problem"),
                            (lambda: ivp.solve(p, "radau5", y0=[1]), "for a problem of functions only"),
                            (lambda: ivp.solve(vdp, (0, 1), t_span=(0, 2)), "t_span: given by its place and by its name"),
                            (lambda: ivp.solve(p, "radau5", events=len), "scipy_method")):
            self.assertRaisesRegex(TypeError, words, call)
        with self.assertRaises(ivp.EvaluationError):
            p.f(0, np.full(8, np.nan))
        p.close()
        self.assertRaisesRegex(ivp.Error, "closed", p.f, 0, np.ones(8))


class Solutions(unittest.TestCase):
    def test_shape_of_scipy(self):
        s = ivp.solve("hires", "radau5", rtol=1e-7, dense_output=True)
        self.assertTrue(s.success)
        self.assertEqual(s.status, 0)
        self.assertEqual(s.y.shape, (8, s.t.size))
        np.testing.assert_array_equal(s.sol(s.t), s.y)
        self.assertEqual(s.sol(3.0).shape, (8,))
        self.assertGreater(s.mescd, 4)
        self.assertGreater(s.nlu, 0)
        t = ivp.solve("hires", "radau5", rtol=1e-7, t_eval=[0, 3.0])
        np.testing.assert_array_equal(t.y[:, 1], s.sol(3.0))

    def test_functions(self):
        truth = ivp.solve(vdp, (0, 2000), [2, 0], "radau", rtol=1e-11, jac=vdp_jacobian).y[:, -1]
        for name in ("radau5", "vode", "rodas", "bimd"):
            with_jacobian = ivp.solve(vdp, (0, 2000), [2, 0], name, rtol=1e-7, jac=vdp_jacobian)
            without = ivp.solve(vdp, (0, 2000), [2, 0], name, rtol=1e-7)
            self.assertEqual(with_jacobian.nfev_jac, 0)
            self.assertGreater(without.nfev_jac, 0)
            for s in (with_jacobian, without):
                np.testing.assert_allclose(s.y[:, -1], truth, rtol=1e-2, err_msg=name)
        s = ivp.solve(vdp, (0, 10), [2, 0], "dop853", rtol=1e-8, args=(1.0,))
        self.assertTrue(s.success)

    def test_structures(self):
        n = 40

        def heat(t, y):
            padded = np.concatenate(([0.0], y, [0.0]))
            return (n + 1) ** 2 * (padded[2:] - 2 * y + padded[:-2])

        matrix = (n + 1) ** 2 * (np.diag(np.full(n, -2.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))
        y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
        results = [ivp.solve(heat, (0, 0.1), y0, "radau5", rtol=1e-6, **given)
                   for given in ({}, {"jac": lambda t, y: matrix}, {"jac": lambda t, y: matrix, "band": (1, 1)}, {"band": (1, 1)})]
        if has("scipy"):
            from scipy import sparse
            results += [ivp.solve(heat, (0, 0.1), y0, "radau5", rtol=1e-6, **given)
                        for given in ({"jac": lambda t, y: sparse.csr_matrix(matrix)}, {"jac_sparsity": matrix})]
        for s in results:
            np.testing.assert_allclose(s.y[:, -1], results[0].y[:, -1], rtol=1e-6)
        self.assertEqual(results[3].nfev_jac, 3 * results[3].njev, "a band of three diagonals takes three evaluations")

    def test_numbers_of_any_layout(self):
        """Bytes in the other order, every second number, an odd address."""
        def laid_out(values, how):
            values = np.asarray(values, dtype=float)
            if how == "swapped":
                return values.astype(values.dtype.newbyteorder())
            if how == "odd":
                room = np.zeros(values.nbytes + 1, dtype=np.uint8)[1:].view(float).reshape(values.shape)
                room[...] = values
                return room
            wider = np.zeros((*values.shape[:-1], 2 * values.shape[-1]))
            wider[..., ::2] = values
            return wider[..., ::2]

        p = ivp.problem("hires")
        y = p.y0 + 0.1
        matrix = np.array([[-1.0, 2.0], [3.0, -4.0]])
        plain = ivp.solve(lambda t, y: matrix @ y, (0, 1), [1.0, 2.0], "radau5", rtol=1e-6, jac=lambda t, y: matrix)
        for how in ("swapped", "odd", "every second"):
            with self.subTest(how):
                self.assertEqual(p.f(0, laid_out(y, how)).tolist(), p.f(0, y).tolist())
                made = ivp.solve(lambda t, y: laid_out(matrix @ y, how), (0, 1), laid_out([1, 2], how), "radau5", rtol=1e-6,
                                 jac=lambda t, y: np.asfortranarray(laid_out(matrix, how)) if how == "swapped" else laid_out(matrix, how))
                self.assertEqual(made.y.tolist(), plain.y.tolist())

    @unittest.skipUnless(has("scipy"), "needs SciPy")
    def test_a_sparse_jacobian_has_its_entries_in_their_columns(self):
        from scipy import sparse
        full = np.zeros((3, 3))
        full[:, 0] = [-1.0, 2.0, 3.0]  # the rows are those of the pattern, the columns are not
        with self.assertRaisesRegex(ivp.Error, "entries outside jac_sparsity"):
            ivp.solve(lambda t, y: full @ y, (0, 1), [1.0, 0.0, 0.0], "radau5", rtol=1e-6, jac_sparsity=np.eye(3), jac=lambda t, y: sparse.csc_matrix(full))

    def test_a_call_of_solve_ivp_can_stay(self):
        given = dict(t_span=(0, 10), y0=[2, 0], args=(1.0,), rtol=1e-5, first_step=1e-3, max_step=0.25, events=None, vectorized=False)
        s = ivp.solve(vdp, method="radau5", **given)
        self.assertEqual(s.y.tolist(), ivp.solve(vdp, (0, 10), [2, 0], "radau5", args=(1.0,), rtol=1e-5, h0=1e-3, hmax=0.25).y.tolist())
        self.assertLessEqual(np.diff(s.t).max(), 0.25 * (1 + 1e-12))
        self.assertTrue(ivp.solve("hires", method="radau5", max_step=np.inf).success)

    def test_notebooks_show_a_table(self):
        p = ivp.problem("transamp")
        shown = p._repr_html_()
        for words in ("<th>form</th><td>M y&#x27; = f(t, y)</td>", "<th>index</th><td>1</td>", "<th>equations</th><td>8</td>", "digits or more"):
            self.assertIn(words, shown)
        self.assertIn("none", ivp.problem("hires", k1=2)._repr_html_())
        s = ivp.solve(p, "radau5", rtol=1e-4, dense_output=True)
        self.assertIn("mescd", s._repr_html_())
        self.assertEqual(repr(s.sol), "<y(t), t = 0 .. 0.2>")

    def test_dae_of_a_function(self):
        # y1' = -y1, 0 = y1 - y2
        s = ivp.solve(lambda t, y: [-y[0], y[0] - y[1]], (0, 1), [1, 1], "radau5", mass=[[1, 0], [0, 0]], rtol=1e-8)
        np.testing.assert_allclose(s.y[:, -1], np.exp(-1), rtol=1e-6)

    def test_exceptions_pass(self):
        calls = []

        def broken(t, y):
            calls.append(t)
            if len(calls) > 20:
                raise KeyError("after some steps")
            return -y

        for name in ("radau5", "vode", "dop853"):
            calls.clear()
            self.assertRaises(KeyError, ivp.solve, broken, (0, 1000), [1.0, 2.0], name)
        self.assertRaisesRegex(ivp.Error, "the value of the function", ivp.solve, lambda t, y: [1, 2, 3], (0, 1), [1.0], "radau5")

    def test_exceptions_reach_the_thread_that_called(self):
        # Two threads work with one problem. What is raised for the first is on its way while the second makes a good run.
        here, raised, other_ended = threading.local(), threading.Event(), threading.Event()

        def mine(t, y):
            if getattr(here, "raises", False):
                raise KeyError("in its thread")
            return -y

        @ivp.solver
        def waiting(task):
            try:
                return task.f(task.t0, task.y)
            finally:
                raised.set()
                other_ended.wait(20)

        p = ivp.problem(mine, (0, 1), [1.0, 2.0])
        ends = []

        def first():
            here.raises = True
            try:
                ivp.solve(p, waiting)
            except KeyError as e:
                ends.append(str(e))

        worker = threading.Thread(target=first)
        worker.start()
        raised.wait(20)
        try:
            self.assertTrue(ivp.solve(p, "radau5").success)
        finally:
            other_ended.set()
            worker.join()
        self.assertEqual(ends, ["'in its thread'"])

    def test_a_failure_is_a_result(self):
        s = ivp.solve(lambda t, y: y ** 2, (0, 2), [1.0], "dopri5")
        self.assertFalse(s.success)
        self.assertEqual(s.status, -1)
        self.assertLess(s.t[-1], 1.001)
        s = ivp.solve("hires", "radau5", max_steps=5)
        self.assertEqual(s.outcome, "too_many_steps")


@unittest.skipUnless(has("pandas"), "pandas is not installed (Debian: python3-pandas)")
class Measurements(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.store = ivp.Store(os.path.join(self.folder.name, "mine.db"))

    def tearDown(self):
        self.folder.cleanup()

    def test_a_solver_in_python(self):
        @ivp.solver(order=4)
        def rk4(task):
            h = (task.tend - task.t0) / 4000
            t, y = task.t0, task.y
            for k in range(4000):
                k1 = task.f(t, y)
                k2 = task.f(t + h / 2, y + h / 2 * k1)
                k3 = task.f(t + h / 2, y + h / 2 * k2)
                k4 = task.f(t + h, y + h * k3)
                end = task.tend if k == 3999 else t + h
                y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
                task.accepted_step(t, end, y)
                t = end
            return y

        r = ivp.run("plei", rk4, 1e-4, repeat=1, store=self.store)
        self.assertEqual((r.outcome, r.nfev, r.accepted, r.solver_language), ("success", 16000, 4000, "Python"))
        self.assertGreater(r.mescd, 1)
        self.assertIn("rk4", ivp.solvers())
        table = ivp.wp("plei", [rk4, "dop853"], [1e-4], repeat=1, store=self.store)
        self.assertEqual(list(table["solver"]), ["rk4", "dop853"])
        self.assertEqual(len(self.store), 2)
        self.assertEqual(set(self.store.records()["solver"]), {"rk4", "dop853"})
        self.assertEqual(self.store.query("SELECT count(*) AS n FROM runs")["n"][0], 2)
        tool = os.environ.get("IVP_TOOL")
        if tool and os.path.exists(tool):
            page = os.path.join(self.folder.name, "report.html")
            subprocess.run([tool, "report", "--db", self.store.path, "--out", page], check=True, capture_output=True)
            with open(page) as text:
                self.assertIn("rk4", text.read())

    def test_a_solver_of_daes_in_python(self):
        @ivp.solver(forms=("dae",), implicit=True, highest_index=1)
        def backward(task):
            t, y, n = task.t0, task.y, 200
            for k in range(1, n + 1):
                t_new = task.tend if k == n else task.t0 + (task.tend - task.t0) * k / n
                z, h = y, t_new - t
                for _ in range(4):
                    z = z - np.linalg.solve(task.mass - h * dense(task.jacobian(t_new, z)), task.mass @ (z - y) - h * task.f(t_new, z))
                    task.count(factorisations=1, solves=1)
                task.accepted_step(t, t_new, z)
                t, y = t_new, z
            return y

        for problem, form, digits in (("chemakzo_dae", "dae", 2), ("hires", "ode", 0)):  # M of an ODE is the identity
            record = ivp.run(problem, backward, 1e-4, repeat=1)
            self.assertEqual((record.form, record.nlu, record.njac), (form, 800, 800), record)
            self.assertGreater(record.mescd, digits)

    def test_a_wrong_solver_is_found_out(self):
        @ivp.solver
        def lazy(task):
            return task.y

        self.assertEqual(ivp.run("hires", lazy, 1e-4, repeat=1).outcome, "wrong_answer")

        @ivp.solver
        def raising(task):
            raise KeyError("mine")

        self.assertRaises(KeyError, ivp.run, "hires", raising, 1e-4)
        self.assertRaises(KeyError, ivp.wp, "hires", [raising], [1e-4])

        @ivp.solver
        def keeping(task):
            self.kept = task
            return task.failed("step_too_small", "no more")

        self.assertEqual(ivp.run("hires", keeping, 1e-4, repeat=1).message, "no more")
        self.assertRaisesRegex(ivp.Error, "over", self.kept.f, 0, np.ones(8))

    def test_records_are_those_of_the_tool(self):
        r = ivp.run("hires", "radau5", 1e-6, repeat=1, store=self.store)
        self.assertTrue(r.command.startswith("ivp run hires radau5"), r.command)
        tool = os.environ.get("IVP_TOOL")
        if tool and os.path.exists(tool):
            other = json.loads(subprocess.run([tool, *r.command.split()[1:], "--format", "json"], check=True, capture_output=True, text=True).stdout)
            for key in ("nfev", "njac", "nlu", "steps", "mescd", "rtol", "atol"):
                self.assertEqual(r[key], other[key], key)
        self.assertEqual(self.store.add(dict(r, solver="other", solver_origin="program")), 1)
        self.assertRaises(ivp.Error, self.store.add, {"problem": 1})

    def test_choice_and_reference(self):
        c = ivp.choose("hires", 4, budget=5, solvers=["radau5", "vode"])
        self.assertEqual({row["solver"] for row in c.candidates}, {"radau5", "vode"})
        self.assertIn("<table", c._repr_html_())
        self.assertRegex(repr(c), r"^<ivp.Choice hires, 4 digits: (radau5|vode), rtol .*, .* digits, .* s>$")
        self.assertEqual(repr(ivp.Choice(problem="hires", digits=4.0, answer=None, candidates=[])), "<ivp.Choice hires, 4 digits: no solver>")
        table = ivp.reference("hires")
        self.assertEqual(len(table), 8)
        self.assertAlmostEqual(float(table["value"][0]), ivp.problem("hires").reference[0])

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed (Debian: python3-matplotlib)")
    def test_diagram(self):
        import matplotlib
        matplotlib.use("Agg")
        table = ivp.wp("hires", ["radau5", "vode"], [1e-4, 1e-6], repeat=1)
        axes = table.plot()
        self.assertEqual([line.get_label() for line in axes.get_lines()], ["radau5", "vode"])
        self.assertEqual(axes.get_yscale(), "log")
        self.assertIn("<table", table._repr_html_())
        self.assertRaises(ivp.Error, table.plot, "time")

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed (Debian: python3-matplotlib)")
    def test_a_solution_is_drawn(self):
        import matplotlib
        matplotlib.use("Agg")
        for dense in (False, True):
            solution = ivp.solve("rober", "radau5", rtol=1e-6, dense_output=dense)
            curves = solution.plot(components=[0, 2]).get_lines()
            self.assertEqual([line.get_label() for line in curves], ["y1", "y3"])
            self.assertEqual(curves[1].get_ydata()[-1], solution.y[2][-1])
        self.assertRaises(ivp.Error, solution.plot, [3])
        matplotlib.pyplot.close("all")


@unittest.skipUnless(has("scipy"), "SciPy is not installed (Debian: python3-scipy)")
class SciPy(unittest.TestCase):
    def test_its_solvers_are_measured(self):
        for name in ("rk23", "rk45", "dop853", "radau", "bdf", "lsoda"):
            problem = "hires" if name in ("radau", "bdf", "lsoda") else "plei"
            r = ivp.run(problem, "scipy-" + name, 1e-4, repeat=1)
            self.assertEqual(r.outcome, "success", f"{name}: {r.message}")
            self.assertGreater(r.mescd, 0)

    def test_counts_are_those_of_scipy(self):
        for name in ("scipy-bdf", "scipy-radau"):
            r = ivp.run("hires", name, 1e-6, repeat=1)
            self.assertEqual((r.outcome, r.solver_language, r.solver_origin), ("success", "Python", "program"))
            self.assertGreater(r.mescd, 4)
            self.assertEqual([r.nfev, r.njac, r.nlu], [r.claimed[key] for key in ("nfev", "njac", "nlu")])

    def test_a_band_is_a_band_there_too(self):
        for name in ("scipy-radau", "scipy-bdf", "scipy-lsoda"):
            exact, differences = (ivp.run("medakzo", name, 1e-2, repeat=1, jacobian=kind) for kind in ("exact", "differences"))
            for r in (exact, differences):  # restarted at a breakpoint
                self.assertEqual(r.outcome, "success", r.message)
            self.assertGreater(exact.njac, 0)
            self.assertEqual(differences.njac, 0)
            self.assertLess(differences.nfev, 3 * exact.nfev, "a Jacobian by differences takes five evaluations, not n")

    def test_scipy_outside_the_domain_and_at_limits(self):
        r = ivp.run("chemakzo_ode", "scipy-radau", 1e-5, repeat=1)
        self.assertEqual(r.outcome, "success", r.message)
        self.assertGreater(r.extra["refused_evaluations"], 0)
        self.assertEqual(ivp.run("hires", "scipy-rk45", 1e-6, repeat=1, timeout=0.02).outcome, "timed_out")
        few = ivp.run("hires", "scipy-bdf", 1e-6, repeat=1, max_steps=10)
        self.assertEqual((few.outcome, few.accepted), ("too_many_steps", 10))
        with self.assertRaisesRegex(ivp.Error, "scipy-bdf cannot take transamp"):
            ivp.run("transamp", "scipy-bdf", 1e-4)

    @unittest.skipUnless(has("pandas"), "pandas is not installed (Debian: python3-pandas)")
    def test_the_example(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "scipy.db")
            command = [sys.executable, os.path.join(os.environ["IVP_SOURCE"], "examples", "06_scipy", "scipy_solvers.py"), "--db", store, "--repeat", "1",
                       "--rtol", "1e-3", "plei", "detest-n-b1"]
            for _ in range(2):  # the second time nothing is left to be measured
                done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.environ["IVP_PYTHON_PACKAGE"]})
                self.assertEqual(done.stdout.count("| `scipy-"), 6)
            self.assertNotIn("runs succeeded", done.stdout)
            self.assertEqual(len(ivp.Store(store)), 20)

    def test_ours_as_a_method(self):
        from scipy.integrate import solve_ivp
        truth = solve_ivp(vdp, (0, 2000), [2, 0], method="Radau", rtol=1e-9, atol=1e-9)
        s = solve_ivp(vdp, (0, 2000), [2, 0], method=ivp.scipy_method("radau5"), rtol=1e-8, atol=1e-8, jac=vdp_jacobian, dense_output=True,
                      t_eval=[0, 100, 2000], events=lambda t, y: y[0])
        self.assertTrue(s.success, s.message)
        np.testing.assert_allclose(s.y[:, -1], truth.y[:, -1], rtol=1e-3)
        np.testing.assert_allclose(s.t_events[0][0], 807.0, rtol=1e-3)
        self.assertEqual(s.sol(50.0).shape, (2,))
        with self.assertRaises(ivp.Error):
            solve_ivp(vdp, (1, 0), [2, 0], method=ivp.scipy_method("radau5"))
        failed = solve_ivp(lambda t, y: y ** 2, (0, 2), [1.0], method=ivp.scipy_method("dopri5"))
        self.assertFalse(failed.success)


class WrongCalls(unittest.TestCase):
    """Random calls from four threads: each ends with an answer or an exception, and the process lives."""

    def test_ten_thousand(self):
        core = ivp._core
        kept = []

        @ivp.solver
        def keeping(task):
            kept[:] = [task, task._raw]
            return task.y

        ivp.run("hires", keeping, 1e-4, repeat=1)
        # Each thread may close any of them; they are opened again.
        openings = [lambda: ivp.problem("hires"), lambda: ivp.problem("water"), lambda: ivp.problem("transamp", form="ide"),
                    lambda: ivp.problem(lambda t, y: -y, (0, 1), [1.0, 2.0]), lambda: ivp.problem(lambda t, y: 1 / 0, (0, 1), np.ones(8)),
                    lambda: ivp.Problem.__new__(ivp.Problem)]
        problems = [opening() for opening in openings]
        solution = core.solve(problems[0], ivp.solver_named("radau5"), 1e-4, None, "repeat=1", 2)
        objects = [solution, *kept, ivp.solver_named("radau5"), ivp.Solver.__new__(ivp.Solver), keeping, ivp.Store("made.db")]
        things = [None, 0, -1, 1e308, float("nan"), "x", "", b"x", [], [1], np.ones(8), np.ones(7), np.ones((8, 8)), np.ones(8, dtype=complex),
                  np.full(8, np.nan), np.ones(16)[::2], np.array(["a"] * 8), {}, {"y0": 1}, object(), "hires", "radau5", True,
                  lambda *a: 1 / 0, lambda t, y: y, (0, 1), (1, 0), ("a", "b"), -(2 ** 70), np.float32(1), 1e-4, *objects]
        # choose and reference work for seconds where they are called rightly; a task that is over is asked by its own methods
        unwanted = ("_choose", "_reference", "__init__")

        def methods(thing):
            return [name for name in dir(type(thing)) if (not name.startswith("__") or name == "__len__") and name not in unwanted
                    and callable(getattr(type(thing), name, None))]

        functions = [ivp.problem, ivp.solve, ivp.run, ivp.solver, ivp.solver_named, ivp.Store, core.solve, core.measure_all, core.Problem, core.Solver,
                     core.store_add, core.store_records, core.store_query]
        # Right arguments, of which each may be replaced by something else: such a call comes further.
        y, radau5 = np.ones(8), ivp.solver_named("radau5")
        right = {"f": [0.0, y], "g": [0.0, y, y], "jacobian": [0.0, y], "_jacobian": [0.0, y], "partials": [0.0, y, y, 1.0, 1.0],
                 "_partials": [0.0, y, y, 1.0, 1.0], "time_derivative": [0.0, y], "digits": [y, 1e-4], "tolerances": [1e-4], "_initial": [True],
                 "at": [np.array([0.0, 1.0])], "store": ["made.db"], "query": ["SELECT 1"], "refusal": [problems[0]],
                 "f_difference": [0.0, y], "jacobian_entries": [0.0, y], "accepted_step": [0.0, 1.0, y], "count": [1, 1, 1],
                 ivp.problem: [lambda t, y: -y, (0, 1), [1.0]], ivp.solve: [problems[0], "radau5"], ivp.run: [problems[3], keeping, 1e-3],
                 core.solve: [problems[3], radau5, 1e-3, None, "repeat=1", 2], core.Problem: ["hires", "k1=2", 4],
                 core.measure_all: [problems[3], [radau5, keeping], np.array([1e-3]), None, "repeat=1", None], core.store_add: ["made.db", "{}"],
                 core.store_records: ["made.db"], core.store_query: ["made.db", "SELECT 1"]}
        ended, odd, fine = [0] * 4, [], [0] * 4

        def calls(k):
            pick = random.Random(k)
            for _ in range(2500):
                kind = pick.random()
                if kind < 0.5:
                    which = pick.randrange(len(problems))
                    asked = problems[which]
                    name = pick.choice(methods(asked))
                    call = getattr(asked, name)
                    if name == "close" and pick.random() < 0.5:
                        problems[which] = openings[which]()
                elif kind < 0.7:
                    asked = pick.choice(objects)
                    call = getattr(asked, pick.choice(methods(asked)))
                else:
                    call = pick.choice(functions)
                known = right.get(getattr(call, "__name__", None)) or right.get(call)
                if known and pick.random() < 0.7:
                    arguments = [pick.choice(pick.choice((things, problems))) if pick.random() < 0.25 else a for a in known]
                else:
                    arguments = [pick.choice(pick.choice((things, things, problems))) for _ in range(pick.randrange(5))]
                try:
                    call(*arguments)
                    fine[k] += 1
                except (ValueError, TypeError, ArithmeticError, OverflowError, AttributeError, OSError, KeyError) as e:
                    if not str(e):
                        odd.append(f"{call} {arguments}: an exception without a message")
                except ImportError as e:
                    if "Debian: python3-" not in str(e):  # a package that is not installed has its name in the message
                        odd.append(f"{call} {arguments}: {e}")
                except BaseException as e:  # noqa: B902
                    odd.append(f"{call} {arguments}: {type(e).__name__}: {e}")
                ended[k] += 1

        folder = os.getcwd()
        with tempfile.TemporaryDirectory() as there:
            os.chdir(there)  # a store may be made
            try:
                threads = [threading.Thread(target=calls, args=(k,)) for k in range(4)]
                for t in threads:
                    t.start()
                for t in threads:
                    t.join()
            finally:
                os.chdir(folder)
        self.assertEqual(ended, [2500] * 4)
        self.assertEqual(odd, [])
        self.assertGreater(min(fine), 250, "some of the calls must be right ones, or the others would not come far")
        self.assertEqual(ivp.problem("hires").f(0, ivp.problem("hires").y0).shape, (8,))

    def test_threads_close_and_call(self):
        for make in (lambda: ivp.problem("hires"), lambda: ivp.problem(lambda t, y: -y, (0, 1), np.ones(8))):
            p = make()

            def work(k):
                for i in range(200):
                    try:
                        p.f(0, np.ones(8))
                        if i % 20 == 0:
                            ivp.solve(p, "radau5", rtol=1e-4)
                    except ivp.Error as e:
                        self.assertIn("closed", str(e))
                    if k == 3 and i == 150:
                        p.close()

            threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()


@unittest.skipUnless(has("pandas") and has("scipy") and has("matplotlib"), "the tutorial needs SciPy, pandas and matplotlib")
class Tutorial(unittest.TestCase):
    def executed(self, parts, name):
        """Runs the parts one after the other in an empty folder; answers what is in it then."""
        import matplotlib
        matplotlib.use("Agg")
        folder = os.getcwd()
        with tempfile.TemporaryDirectory() as there:
            os.chdir(there)
            try:
                scope = {}
                for part in parts:
                    exec(compile(part, name, "exec"), scope)
                return {file: os.path.getsize(file) for file in os.listdir(".")}, scope
            finally:
                os.chdir(folder)
                matplotlib.pyplot.close("all")

    def test_the_page(self):
        with open(os.path.join(os.environ["IVP_SOURCE"], "docs", "python.md")) as page:
            parts = re.findall(r"```python\n(.*?)```", page.read(), re.DOTALL)
        self.assertGreaterEqual(len(parts), 3)
        files, _ = self.executed(parts, "docs/python.md")
        self.assertGreater(files["hires.png"], 5000)

    def notebook(self, name):
        with open(os.path.join(os.environ["IVP_SOURCE"], "examples", "11_python", name)) as text:
            cells = json.load(text)["cells"]
        parts = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        self.assertGreaterEqual(len(parts), 5)
        return self.executed(parts, name)[1]

    def test_notebook_that_compares_solvers(self):
        self.assertEqual(len(self.notebook("compare_solvers.ipynb")["table"]), 16)

    def test_notebook_with_a_solver(self):
        scope = self.notebook("bring_a_solver.ipynb")
        self.assertEqual(scope["record"].outcome, "success")
        np.testing.assert_allclose(scope["orders"][-3:], 2, atol=0.1)
        self.assertEqual(list(scope["table"]["outcome"]), ["success"] * 12)
        self.assertEqual(scope["wrong"].outcome, "wrong_answer")
        self.assertEqual({r.outcome for r in scope["runs"]} - {"timed_out"}, {"success"}, "a slow machine may be too late")

    def test_notebook_with_a_problem(self):
        scope = self.notebook("own_problem.ipynb")
        self.assertTrue(scope["s"].success)
        full, band = scope["costs"]
        self.assertEqual((full.nfev_jac, band.nfev_jac), (120 * full.njac, 5 * band.njac))
        self.assertLess(scope["error"], 1e-5)
        self.assertTrue(scope["choice"].candidates)
        self.assertTrue((scope["reference"]["digits"] >= 12).all())
        for name, values in scope["digits"].items():
            self.assertGreater(values[-1], values[0] + 2, name)
        np.testing.assert_allclose(scope["dae"].y[:, -1], [1 / 3, 2 / 3], atol=1e-3)


if __name__ == "__main__":
    unittest.main()
