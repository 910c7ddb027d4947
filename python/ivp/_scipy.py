"""SciPy: its solvers measured like any other, and ours as a method of its solve_ivp."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _core
from ._optional import need
from ._problem import problem as _problem
from ._run import _KEEP_DENSE, _raw_solve
from ._solver import Task, solver, solver_named

_REFERENCE = "P. Virtanen et al., Nature Methods 17 (2020) 261-272"
_METHODS = (("rk23", "RK23", False, (3, 3)), ("rk45", "RK45", False, (5, 5)), ("dop853", "DOP853", False, (8, 8)), ("radau", "Radau", True, (5, 5)),
            ("bdf", "BDF", True, (1, 5)), ("lsoda", "LSODA", True, (1, 12)))


def _pattern(task: Task) -> Any:
    """The entries of df/dy that may be different from 0, of a band or sparse problem, as a csc matrix."""
    sparse = need("scipy.sparse", "A Jacobian with structure")
    if task.structure == "sparse":
        row, column_start = task.pattern
    else:
        (lower, upper), n = task.bandwidth, task.n
        rows = [np.arange(max(0, j - upper), min(n, j + lower + 1)) for j in range(n)]
        row, column_start = np.concatenate(rows), np.cumsum([0] + [len(r) for r in rows])
    return sparse.csc_matrix((np.ones(len(row)), row, column_start), shape=(task.n, task.n))


def _jacobian(task: Task) -> dict[str, Any]:
    """For Radau and BDF: sparse if the problem has structure."""
    if task.structure == "full":
        return {"jac": task.jacobian} if task.exact_jacobian else {}
    pattern = _pattern(task)
    if not task.exact_jacobian:
        return {"jac_sparsity": pattern}
    if task.structure == "sparse":
        return {"jac": task.jacobian}
    columns = np.repeat(np.arange(task.n), np.diff(pattern.indptr))
    places = pattern.indices - columns + task.bandwidth[1], columns
    return {"jac": lambda t, y: type(pattern)((task.jacobian_entries(t, y)[places], pattern.indices, pattern.indptr), shape=pattern.shape)}


def _lsoda_jacobian(task: Task) -> dict[str, Any]:
    """For LSODA: a band, or full; it takes no sparse matrices."""
    band = dict(zip(("lband", "uband"), task.bandwidth)) if task.structure == "band" else {}
    if not task.exact_jacobian:
        return band
    if task.structure == "sparse":
        return {"jac": lambda t, y: task.jacobian(t, y).toarray()}
    if not band:
        return {"jac": task.jacobian}
    room = np.zeros((task.bandwidth[0], task.n))  # its wrapper of the Fortran wants the rows that a factorisation fills
    return {"jac": lambda t, y: np.vstack((task.jacobian_entries(t, y), room)), **band}


def _integrate(task: Task, method: type, implicit: bool) -> Any:
    def f(t, y):
        try:
            return task.f(t, y)
        except _core.EvaluationError:
            return np.full(task.n, np.nan)  # SciPy cuts the step where it meets NaN

    options: dict[str, Any] = {"rtol": task.rtol[0], "atol": task.atol, "max_step": task.hmax, "first_step": task.h0}  # its rtol is one number
    if implicit:
        options.update((_lsoda_jacobian if method.__name__ == "LSODA" else _jacobian)(task))
    with np.errstate(all="ignore"):
        try:
            s = method(f, task.t0, task.y, task.tend, **options)
            while s.status == "running":
                if task.accepted == task.max_steps:
                    return task.failed("too_many_steps")
                message = s.step()
                if s.status == "failed":
                    return task.failed("step_too_small", message or "")
                task.accepted_step(s.t_old, s.t, s.y)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as e:
            if isinstance(e, (_core.Error, _core.EvaluationError)):
                raise
            return task.failed("newton_failed", f"{type(e).__name__}: {e}")
        task.count(factorisations=s.nlu or 0)
    task.claimed.update(nfev=s.nfev, njac=s.njev, nlu=s.nlu or 0)
    return s.y


def _register() -> None:
    try:
        import scipy
        from scipy import integrate
    except ImportError:
        return  # without SciPy its solvers are not listed
    for name, method, implicit, order in _METHODS:
        cls = getattr(integrate, method)
        solver(lambda task, cls=cls, implicit=implicit: _integrate(task, cls, implicit), name="scipy-" + name, title="SciPy's " + method, order=order,
               implicit=implicit, version=scipy.__version__, reference=_REFERENCE)


_register()


def scipy_method(name: Any) -> type:
    """One of our solvers as a class for SciPy: solve_ivp(f, t_span, y0, method=ivp.scipy_method("radau5"), ...).

    The solver integrates to the end of t_span when solve_ivp makes it; solve_ivp then walks through its steps. So t_eval, dense_output and events work,
    but an event that ends the integration spares no work. Options: rtol, atol, first_step, max_step, jac, jac_sparsity and the settings of ivp.solve.
    Only forwards in time, and real numbers.
    """
    ours = solver_named(name)
    integrate = need("scipy.integrate", "A method for solve_ivp")

    class Between(integrate.DenseOutput):
        def __init__(self, t_old, t, solution):
            super().__init__(t_old, t)
            self._solution = solution

        def _call_impl(self, t):
            times = np.asarray(t, dtype=float)
            values = self._solution.at(times.reshape(-1))
            return values[:, 0] if times.ndim == 0 else values

    class Method(integrate.OdeSolver):
        def __init__(self, fun, t0, y0, t_bound, vectorized=False, rtol=1e-3, atol=1e-6, first_step=None, max_step=np.inf, jac=None, jac_sparsity=None,
                     **given):
            super().__init__(fun, t0, y0, t_bound, vectorized)
            if self.direction < 0:
                raise _core.Error(f"t_span: from {t0:g} back to {t_bound:g} given; allowed: forwards")
            p = _problem(self.fun_single, (t0, t_bound), y0, jac=jac, jac_sparsity=jac_sparsity)
            if first_step is not None:
                given["h0"] = first_step
            if np.isfinite(max_step):
                given["hmax"] = max_step
            self._solution = _raw_solve(p, ours, rtol, atol, _KEEP_DENSE, {"repeat": 1, **given})
            self._record = json.loads(self._solution.record())
            self._t, self._y = self._solution.points()
            self._at = 0
            self.nfev, self.njev, self.nlu = self._record["nfev"] + self._record["nfev_jac"], self._record["njac"], self._record["nlu"]

        def _step_impl(self):
            if self._at + 1 == self._t.size:
                return False, self._record["message"] or self._record["outcome"]
            self._at += 1
            self.t, self.y = self._t[self._at], self._y[:, self._at]
            if self._at + 1 == self._t.size and self._record["outcome"] in ("success", "wrong_answer"):
                self.t = self.t_bound  # reached, whatever the last bit
            return True, None

        def _dense_output_impl(self):
            return Between(self.t_old, self._t[self._at], self._solution)

    Method.__name__ = Method.__qualname__ = "".join(word.capitalize() for word in ours.name.split("-"))
    return Method
