"""Runs: one solution, one measurement, work against precision, the choice of a solver."""

from __future__ import annotations

import json
import math
from typing import Any, Sequence

import numpy as np

from . import _core
from ._optional import need
from ._problem import Problem, _numbers, _spread, html_table, problem as _problem, real, text_of_settings, words_of_python
from ._solver import Solver, solver_named

_KEEP_END, _KEEP_STEPS, _KEEP_DENSE = 0, 1, 2


class Record(dict):
    """Everything known of one run: the fields of 'ivp run --format json', also as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        return f"<ivp.Record {self['problem']}, {self['solver']}, rtol {self['rtol_asked']:g}: {self['outcome']}{_digits_text(self)}>"

    def _repr_html_(self) -> str:
        return html_table([(key, self.get(key)) for key in ("problem", "solver", "rtol_asked", "outcome", "message", "scd", "mescd", "steps", "accepted",
                                                             "nfev", "nfev_jac", "njac", "nlu", "cpu_s", "repeats", "command")])


class Result(dict):
    """The solution of solve(), in the shape of SciPy's: t, y, sol, nfev, njev, nlu, status, message, success; and scd, mescd, outcome, record."""

    __getattr__ = Record.__getattr__

    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{key.rjust(width)}: {_short(value)}" for key, value in self.items() if key != "record")

    def _repr_html_(self) -> str:
        return html_table([(key, _short(value)) for key, value in self.items() if key != "record"])

    def plot(self, components: Sequence[int] | None = None, ax: Any = None) -> Any:
        """Draws y over t, a curve for each of the components (counted from 0; None: the first seven). Returns the axes."""
        wanted = range(min(len(_COLORS), len(self.y))) if components is None else components
        if wrong := [k for k in wanted if not 0 <= k < len(self.y)]:
            raise _core.Error(f"components: {wrong[0]} given; allowed: 0 to {len(self.y) - 1}")
        ax = _axes(ax)
        t = np.union1d(self.t, np.linspace(self.t[0], self.t[-1], 1000)) if self.sol is not None else self.t  # no peak is lost
        y = self.sol(t) if self.sol is not None else self.y
        for n, k in enumerate(wanted):
            ax.plot(t, y[k], color=_COLORS[n % len(_COLORS)], linewidth=1.2, label=f"y{k + 1}")
        ax.set_xlabel("t")
        ax.set_title(f"{self.record['problem']}, {self.record['solver']}")
        ax.grid(True, which="major", linewidth=0.4, alpha=0.6)
        ax.legend(frameon=False)
        return ax


_COLORS = ("#0072b2", "#d55e00", "#009e73", "#b5478c", "#c88a00", "#2f9fd0", "#4d4d4d")  # those of the report


def _axes(ax: Any) -> Any:
    """Those given, or of a new figure that leaves room for the titles."""
    return ax if ax is not None else need("matplotlib.pyplot", "A diagram").subplots(figsize=(6.4, 4.4), layout="constrained")[1]


def _short(value: Any) -> str:
    return f"array of shape {value.shape}" if isinstance(value, np.ndarray) and value.size > 8 else str(value)


def _digits_text(record: dict) -> str:
    return "".join(f", {key} {record[key]:.2f}" for key in ("scd", "mescd") if record.get(key) is not None)


class _Dense:
    """y at any time of the run: sol(t)."""

    def __init__(self, solution: _core.Solution, t_min: float, t_max: float) -> None:
        self._solution, self.t_min, self.t_max = solution, t_min, t_max

    def __repr__(self) -> str:
        return f"<y(t), t = {self.t_min:g} .. {self.t_max:g}>"

    def __call__(self, t: Any) -> np.ndarray:
        times = np.asarray(t, dtype=float)
        values = self._solution.at(times.reshape(-1))
        return values[:, 0] if times.ndim == 0 else values


def settings() -> list[dict[str, str]]:
    """All settings of a run: name, option of the tool, meaning. Each is a keyword of solve, run and wp."""
    return json.loads(_core.settings())


def _raw_solve(p: Problem, s: Solver, rtol: float, atol: Any, keep: int, given: dict) -> _core.Solution:
    with words_of_python():
        return _core.solve(p, s, real("rtol", rtol), None if atol is None else _spread(atol, p.n), text_of_settings(given), keep)


def solve(problem: Any, *where: Any, t_span: Any = None, y0: Any = None, method: Any = None, rtol: float = 1e-6, atol: Any = None, t_eval: Any = None,
          dense_output: bool = False, jac: Any = None, jac_sparsity: Any = None, band: tuple[int, int] | None = None, mass: Any = None,
          index: Sequence[int] | None = None, breakpoints: Sequence[float] = (), args: Sequence[Any] = (), yp0: Any = None, implicit: bool = False,
          **given: Any) -> Result:
    """Integrates once.

    solve(p, "radau5", rtol=1e-6): a problem (or its name) with a solver. solve(f, (t0, tend), y0, "radau5", jac=...): a Python function; jac,
    jac_sparsity, band, mass, index, breakpoints, args, yp0, implicit as in ivp.problem().

    atol: one number or n; None: the protocol of the problem, which for a function is rtol. t_eval: times at which y is wanted, instead of the steps.
    dense_output: sol(t) gives y at any time. given: any of ivp.settings(), such as h0, hmax, max_steps, jacobian, algebra, and the own options of the
    solver. A run that fails is a result too: success is False, t and y go as far as it came.

    A call of SciPy's solve_ivp keeps its arguments: t_span, y0 and method are names for the arguments after the function (method names our solver),
    first_step and max_step for h0 and hmax; vectorized changes nothing. events are for solve_ivp(..., method=ivp.scipy_method("radau5")).
    """
    given.pop("vectorized", None)
    for theirs, ours in (("first_step", "h0"), ("max_step", "hmax")):
        value = given.pop(theirs, None)
        if value is not None and ours in given:
            raise TypeError(f"{theirs} and {ours}: allowed is one of them")
        if value is not None and value != math.inf:
            given[ours] = value
    if given.pop("events", None) is not None:
        raise TypeError('events: allowed in scipy.integrate.solve_ivp(..., method=ivp.scipy_method("radau5"), events=...)')
    names = {"t_span": t_span, "y0": y0, "method": method} if callable(problem) and not isinstance(problem, Problem) else {"method": method}
    for name, value in list(names.items())[:len(where)]:
        if value is not None:
            raise TypeError(f"{name}: given by its place and by its name; allowed: once")
    where += tuple(value for value in names.values() if value is not None)
    p, solver = _what_to_solve(problem, where, dict(jac=jac, jac_sparsity=jac_sparsity, band=band, mass=mass, index=index, breakpoints=breakpoints,
                                                    args=args, yp0=yp0, implicit=implicit), t_span is not None or y0 is not None)
    s = solver_named(solver)
    given.setdefault("repeat", 1)
    keep = _KEEP_DENSE if dense_output or t_eval is not None else _KEEP_STEPS
    solution = _raw_solve(p, s, rtol, atol, keep, given)
    record = Record(json.loads(solution.record()))
    t, y = solution.points()
    sol = _Dense(solution, t[0], t[-1]) if keep == _KEEP_DENSE else None
    if t_eval is not None:
        times = _numbers("t_eval", t_eval)
        outside = times[(times < p.t0) | (times > record["tend"])]
        if outside.size or not np.all(np.isfinite(times)):
            raise _core.Error(f"t_eval: {outside[0] if outside.size else 'nan'} given; allowed: times from {p.t0:g} to {record['tend']:g}")
        t = times[times <= t[-1]]
        y = sol(t)
    success = record["outcome"] in ("success", "wrong_answer")
    return Result(t=t, y=y, sol=sol if dense_output else None, t_events=None, y_events=None, nfev=record["nfev"], nfev_jac=record["nfev_jac"],
                  njev=record["njac"], nlu=record["nlu"], status=0 if success else -1,
                  message=record["message"] or "The solver reached the end of the interval.", success=success, scd=record["scd"], mescd=record["mescd"],
                  outcome=record["outcome"], record=record)


def _what_to_solve(what: Any, where: tuple, functions: dict, start_named: bool) -> tuple[Problem, Any]:
    if callable(what) and not isinstance(what, Problem):
        if len(where) != 3:
            raise TypeError(f'{len(where)} arguments after the function; allowed: three, as in solve(f, (t0, tend), y0, "radau5")')
        return _problem(what, where[0], where[1], **functions), where[2]
    wrong = [name for name, value in functions.items() if value is not None and value is not False and not (isinstance(value, (tuple, list)) and not value)]
    if start_named:
        wrong += ["t_span", "y0"]
    if wrong:
        raise TypeError(f"{', '.join(wrong)}: for a problem of functions only")
    if len(where) != 1:
        raise TypeError(f'{len(where)} arguments after the problem; allowed: one, as in solve(problem, "radau5")')
    return _problem(what), where[0]


def run(problem: Any, solver: Any, rtol: float, *, atol: Any = None, store: Any = None, **given: Any) -> Record:
    """Measures as 'ivp run' does: repeats until the time is reliable. store: the path of a store, or an ivp.Store, that keeps the record."""
    p = _problem(problem)
    solution = _raw_solve(p, solver_named(solver), rtol, atol, _KEEP_END, given)
    if store is not None:
        solution.store(str(getattr(store, "path", store)))
    return Record(json.loads(solution.record()))


# ---- Work against precision ----

_COLUMNS = ["problem", "solver", "rtol", "outcome", "scd", "mescd", "steps", "accepted", "nfev", "nfev_jac", "njac", "nlu", "nsolve", "cpu_s", "wall_s",
            "message"]
_IF_NONE_NAMED = ("radau5", "radau", "rodas", "vode", "bimd", "gamd", "dop853")


def frame_of(records: list[dict]) -> Any:
    """A pandas table of records, the important columns first."""
    pandas = need("pandas", "A table of records")
    rows = [{**{key: r.get("rtol_asked" if key == "rtol" else key) for key in _COLUMNS}, "record": Record(r)} for r in records]
    return pandas.DataFrame(rows, columns=[*_COLUMNS, "record"])


_table_class: type | None = None


def WorkPrecision(records: list[dict]) -> Any:
    """The table of wp(): a pandas DataFrame whose plot() draws work against precision."""
    global _table_class
    if _table_class is None:
        pandas = need("pandas", "A table of records")

        class WorkPrecisionTable(pandas.DataFrame):
            """Work against precision: one row for each run; plot() draws it."""

            @property
            def _constructor(self) -> type:
                return pandas.DataFrame

            def plot(self, work: str = "cpu_s", precision: str = "mescd", ax: Any = None) -> Any:
                """Draws a curve for each solver: digits to the right, work upwards. Failed runs are left out. Returns the axes."""
                return _draw(self, work, precision, ax)

        _table_class = WorkPrecisionTable
    return _table_class(frame_of(records))


def _draw(table: Any, work: str, precision: str, ax: Any) -> Any:
    for name, value, allowed in (("work", work, ("cpu_s", "wall_s", "nfev", "steps", "nlu")), ("precision", precision, ("scd", "mescd"))):
        if value not in allowed:
            raise _core.Error(f"{name}: '{value}' given; allowed: {', '.join(allowed)}")
    ax = _axes(ax)
    for k, (name, rows) in enumerate(table.groupby("solver", sort=False)):
        good = rows[(rows["outcome"] == "success") & rows[precision].notna()]
        values = good["nfev"] + good["nfev_jac"] if work == "nfev" else good[work]
        ax.plot(good[precision].astype(float), values.astype(float), marker="os^Dv<>p"[k % 8], markersize=4, linewidth=1.2,
                color=_COLORS[k % len(_COLORS)], label=name)
    ax.set_yscale("log")
    ax.set_xlabel(precision + ", correct digits")
    ax.set_ylabel({"cpu_s": "CPU time [s]", "wall_s": "wall time [s]", "nfev": "evaluations", "steps": "steps", "nlu": "LU factorisations"}[work])
    ax.set_title(", ".join(table["problem"].unique()))
    ax.grid(True, which="major", linewidth=0.4, alpha=0.6)
    ax.legend(frameon=False)
    return ax


def wp(problem: Any, solvers: Sequence[Any] | None = None, rtol: Sequence[float] | None = None, *, atol: Any = None, store: Any = None,
       **given: Any) -> Any:
    """Work against precision: every solver at every tolerance, timed in turns, as a pandas DataFrame with plot().

    solvers: names or what @ivp.solver makes; None: radau5, radau, rodas, vode, bimd, gamd, dop853, those that take the problem. rtol: None: the
    tolerances of the problem's protocol. A solver in Python must not raise; what it raises ends everything.
    """
    p = _problem(problem)
    if isinstance(solvers, (str, Solver)):
        solvers = [solvers]
    if solvers is None:
        chosen = [s for s in map(solver_named, _IF_NONE_NAMED) if not s.refusal(p)]
    else:
        chosen = [solver_named(s) for s in solvers]
    with words_of_python():
        lines = _core.measure_all(p, chosen, None if rtol is None else _numbers("rtol", rtol), None if atol is None else _spread(atol, p.n),
                                  text_of_settings(given), None if store is None else str(getattr(store, "path", store)))
    return WorkPrecision([json.loads(line) for line in lines.splitlines()])


# ---- Choice and reference ----


class Choice(dict):
    """The answer of choose(): what 'ivp choose --format json' prints, also as attributes; table is a pandas DataFrame of the candidates, which also have
    their runs."""

    __getattr__ = Record.__getattr__

    @property
    def table(self) -> Any:
        rows = [{**c, "cpu_s": c["run"] and c["run"]["cpu_s"], "nfev": c["run"] and c["run"]["nfev"] + c["run"]["nfev_jac"]} for c in self["candidates"]]
        columns = ["solver", "verdict", "rtol", "digits", "relative_digits", "nfev", "cpu_s", "reason"]
        return need("pandas", "A table").DataFrame(rows, columns=columns)

    def __repr__(self) -> str:
        found = self["answer"]
        best = f"{found['solver']}, rtol {found['rtol']:g}, {found['digits']:.1f} digits, {found['cpu_s']:.3g} s" if found else "no solver"
        return f"<ivp.Choice {self['problem']}, {self['digits']:g} digits: {best}>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def choose(problem: Any, digits: float = 4, *, budget: float = 20, solvers: Sequence[str] | None = None) -> Choice:
    """Finds the fastest solver, and its tolerance, for a number of digits. budget: seconds for everything. The runs are made in this process."""
    p = _problem(problem)
    with words_of_python():
        return Choice(json.loads(p._choose(None if solvers is None else ",".join(solvers), real("digits", digits), real("budget", budget))))


def reference(problem: Any, *, digits: float | None = None, at: Sequence[float] = ()) -> Any:
    """The reference solution as a pandas DataFrame: t, index, value (text with all its digits), digits, kind.

    Without digits and at the stored one; otherwise it is derived in quadruple precision, which takes seconds to minutes.
    """
    answer = json.loads(_problem(problem)._reference(0.0 if digits is None else real("digits", digits), _numbers("at", at)))
    rows = [{"t": table["t"], **component} for table in answer["at"] for component in table["components"]]
    return need("pandas", "A table").DataFrame(rows, columns=["t", "index", "value", "digits", "kind"])
