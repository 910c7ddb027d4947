"""Solvers: of the catalog, plug-ins, and Python functions behind @ivp.solver."""

from __future__ import annotations

import json
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._problem import matrix_of, words_of_python

# As in ivp/plugin.h.
_FORM_CODES = {"ode": 1, "dae": 2, "ide": 4}
_IMPLICIT, _TAKES_H0, _TAKES_ZERO_RTOL, _TAKES_ZERO_ATOL, _TAKES_VECTOR_TOLERANCES = 1, 2, 64, 128, 256
_OUTCOMES = {"success": 0, "too_many_steps": 1, "step_too_small": 2, "newton_failed": 3, "error_test_failed": 4, "singular_matrix": 5, "nonfinite": 6,
             "stopped": 7, "out_of_memory": 8}
_FORM_LABELS = {code: label for label, code in _FORM_CODES.items()}


class Solver(_core.Solver):
    """A solver that can be run: made by ivp.solver_named() or @ivp.solver."""

    name: str

    def __init__(self, name: str, *description: Any) -> None:
        super().__init__(name, *description)
        self.name = name

    def __repr__(self) -> str:
        return f"<ivp.Solver {self.name}>"

    @property
    def facts(self) -> dict[str, Any]:
        """What 'ivp show SOLVER --format json' prints."""
        return json.loads(self._facts())

    def refusal(self, problem: _core.Problem) -> str:
        """Why it cannot take the problem; empty: it can."""
        return self._refusal(problem)


class Task:
    """One integration from t0 to tend, as a solver in Python receives it.

    Attributes: n, form, t0, tend, y (at t0), yp (or None), rtol and atol (n entries each), h0 (None: the solver chooses), hmax, max_steps,
    exact_jacobian, structure, bandwidth, mass (None: the identity, which a solver that takes DAEs only gets as an array), index. What happens through
    the methods is counted: f(t, y), g(t, y, yp), f_difference(t, y) for difference quotients, time_derivative(t, y), and jacobian_entries(t, y): df/dy
    as an array, of a band its diagonals as rows, the uppermost first, of a sparse matrix the entries alone.
    """

    def __init__(self, raw: _core.Task) -> None:
        known = raw.facts()
        self._raw = raw
        self.n, self.t0, self.tend = known["n"], known["t0"], known["tend"]
        self.form = _FORM_LABELS[known["form"]]
        self.y, self.yp, self.rtol, self.atol = known["y"], known["yp"], known["rtol"], known["atol"]
        self.h0 = known["h0"] or None
        self.hmax, self.max_steps = known["hmax"], known["max_steps"]
        self.exact_jacobian = known["exact_jacobian"] == 1
        self.structure = ("full", "band", "sparse")[known["jacobian_kind"]]
        self.bandwidth = known["lower"], known["upper"]
        self.mass, self.index = known["mass"], known["index"]
        self.pattern = known["row"], known["column_start"]  # of a sparse Jacobian, by columns
        self.t = self.t0  # of the last accepted step
        self.accepted = 0
        self.steps = 0  # attempted; at least as many as accepted
        self.claimed = {"nfev": -1, "njac": -1, "nlu": -1}  # the solver's own counts, kept beside ours
        self._outcome, self._message = "success", None
        self.f, self.g, self.f_difference, self.time_derivative = raw.f, raw.g, raw.f_difference, raw.time_derivative
        self.jacobian_entries = raw.jacobian

    def jacobian(self, t: float, y: Any) -> Any:
        """df/dy, exact: an array, or for a band or sparse problem a SciPy sparse matrix."""
        return matrix_of(self.jacobian_entries(t, y), self.n, self.structure, self.bandwidth, *self.pattern)

    def accepted_step(self, t_old: float, t: float, y: Any) -> None:
        """Call it after every accepted step. Raises ivp.Stopped if the run must end."""
        if not self._raw.accepted_step(t_old, t, y):
            raise _core.Stopped("the run must end now")
        self.t, self.y, self.accepted = t, np.array(y, dtype=float), self.accepted + 1

    def count(self, factorisations: int = 0, solves: int = 0, difference_jacobians: int = 0) -> None:
        """Adds counts that only the solver knows."""
        self._raw.count(int(factorisations), int(solves), int(difference_jacobians))

    def failed(self, outcome: str, message: str = "") -> np.ndarray:
        """Return this from a solver that gives up, with one of too_many_steps, step_too_small, newton_failed, error_test_failed, singular_matrix."""
        if outcome not in _OUTCOMES:
            raise _core.Error(f"outcome: '{outcome}' given; allowed: {', '.join(_OUTCOMES)}")
        self._outcome, self._message = outcome, message
        return self.y


_of_functions: dict[str, Solver] = {}


def solver(function: Callable[[Task], Any] | None = None, *, name: str | None = None, forms: Sequence[str] = ("ode",), order: int | tuple[int, int] = 1,
           implicit: bool = False, highest_index: int = 0, takes_h0: bool = True, takes_zero_tolerances: bool = False, version: str | None = None,
           reference: str | None = None, title: str | None = None) -> Any:
    """Makes a Python function a solver: measured, counted and judged like any other.

        @ivp.solver(order=1)
        def euler(task):
            h, t, y = (task.tend - task.t0) / 10000, task.t0, task.y
            while t < task.tend:
                t_new = min(t + h, task.tend)
                y = y + (t_new - t) * task.f(t, y)
                task.accepted_step(t, t_new, y)
                t = t_new
            return y

    The function gets a Task and answers y at task.tend, or task.failed(...). ivp.run(problem, euler) and ivp.wp(problem, [euler, "radau5"]) run it; so
    does its name. An ivp.EvaluationError that it lets pass ends the run as 'nonfinite'; every other exception goes to the caller.
    """
    if function is None:
        return lambda f: solver(f, name=name, forms=forms, order=order, implicit=implicit, highest_index=highest_index, takes_h0=takes_h0,
                                takes_zero_tolerances=takes_zero_tolerances, version=version, reference=reference, title=title)
    if not callable(function):
        raise TypeError(f"a solver is a function; {type(function).__name__} given")
    unknown = [f for f in forms if f not in _FORM_CODES]
    if unknown or not forms:
        raise _core.Error(f"forms: {tuple(forms)} given; allowed: ode, dae, ide")
    lowest, highest = (order, order) if isinstance(order, int) else order
    flags = (_TAKES_VECTOR_TOLERANCES | (_IMPLICIT if implicit else 0) | (_TAKES_H0 if takes_h0 else 0)
             | (_TAKES_ZERO_RTOL | _TAKES_ZERO_ATOL if takes_zero_tolerances else 0))

    def called(raw: _core.Task) -> tuple:
        task = Task(raw)
        if task.form == "ode" and "ode" not in forms:  # a solver of DAEs
            task.mass = np.eye(task.n)
        try:
            y, reached = function(task), task.tend
        except _core.Stopped as e:
            y, task._outcome, task._message = task.y, "stopped", str(e)
        except _core.EvaluationError as e:
            y, task._outcome, task._message = task.y, "nonfinite", str(e)
        except MemoryError:
            y, task._outcome = task.y, "out_of_memory"
        if task._outcome != "success":
            reached = task.t
        return (_OUTCOMES[task._outcome], float(reached), y, max(task.steps, task.accepted), task.accepted, task.claimed["nfev"], task.claimed["njac"],
                task.claimed["nlu"], (task._message or "")[:250] or None)

    made = Solver(name or function.__name__.lower().replace(" ", "-"), called, sum(_FORM_CODES[f] for f in set(forms)), flags, highest_index, lowest,
                  highest, version, reference, title)
    made.function = function
    _of_functions[made.name] = made
    return made


def solvers() -> list[str]:
    """The names of all solvers: our own, of libraries, of SciPy, of functions behind @ivp.solver."""
    return _core.solvers() + [name for name in _of_functions]


def solver_named(name: Any) -> Solver:
    """A solver by its name, or by the path of a plug-in."""
    if isinstance(name, Solver):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a solver is a name, a path or what @ivp.solver makes; {type(name).__name__} given")
    with words_of_python():
        return _of_functions.get(name) or Solver(name)
