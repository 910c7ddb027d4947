"""The test set for initial value problem solvers: problems, solvers, measurements.

    import ivp

    p = ivp.problem("hires")
    s = ivp.solve(p, "radau5", rtol=1e-6)          # s.t, s.y, s.nfev, s.scd, ... as SciPy's solve_ivp has them
    ivp.wp(p, ["radau5", "vode"]).plot()           # work against precision

docs/python.md has a tutorial and says what is there.
"""

from ._core import Error, EvaluationError, Stopped
from ._problem import Parameter, Problem, problem, problems
from ._run import Choice, Record, Result, choose, reference, run, settings, solve, wp, WorkPrecision
from ._solver import Solver, Task, solver, solver_named, solvers
from ._store import Store
from . import _scipy
from ._scipy import scipy_method
from ._core import version as _version

__version__ = _version()
__all__ = ["Choice", "Error", "EvaluationError", "Parameter", "Problem", "Record", "Result", "Solver", "Stopped", "Store", "Task", "WorkPrecision",
           "choose", "problem", "problems", "reference", "run", "scipy_method", "settings", "solve", "solver", "solver_named", "solvers", "wp"]
