#!/usr/bin/env python3
"""The solvers behind SciPy's solve_ivp, measured on the problems of ivp like every other solver.

    scipy_solvers.py PROBLEM[,PROBLEM...] [RTOL] [STORE]

The exact Jacobian is given to those that take one, the tolerances are the problem's; what a run costs contains what Python costs.
"""

import sys

import numpy as np
import scipy
from scipy.integrate import BDF, LSODA, DOP853, RK45, Radau

import ivp

# name, class, implicit, orders
SOLVERS = (("scipy-bdf", BDF, True, (1, 5)), ("scipy-radau", Radau, True, (5, 5)), ("scipy-lsoda", LSODA, True, (1, 12)),
           ("scipy-rk45", RK45, False, (5, 5)), ("scipy-dop853", DOP853, False, (8, 8)))


def solver_of(method, takes_jacobian):
    """What solve_ivp does with the class: step until the end. It is done here by hand, so that every step is told."""

    def solve(task):
        def f(t, y):
            try:
                return task.f(t, y)
            except ivp.Refused as e:
                if e.status == ivp.STOP:
                    raise
                return np.full(task.n, np.nan)  # outside the domain: SciPy cuts the step where it meets NaN

        options = {"rtol": task.rtol[0], "atol": task.atol, "max_step": task.hmax, "first_step": task.h0}  # rtol must be one number
        if takes_jacobian and task.exact_jacobian:
            options["jac"] = task.jacobian
        s = method(f, task.t0, task.y.copy(), task.tend, **options)
        result, outcome = task.result, ivp.SUCCESS
        result.accepted = 0
        while s.status == "running":
            if result.accepted == task.max_steps:
                outcome = ivp.TOO_MANY_STEPS
                break
            message = s.step()
            if s.status == "failed":
                outcome, result.message = ivp.STEP_TOO_SMALL, message.encode()[:250]
                break
            result.accepted += 1
            if not task.accepted_step(s.t_old, s.t, s.y):
                outcome = ivp.STOPPED
                break
        task.y[:] = s.y
        task.factorised(s.nlu)
        # SciPy's own counts. With exact Jacobians they are ours; its difference quotients are not told apart by it.
        result.nfev, result.njac, result.nlu = s.nfev, s.njev, s.nlu
        return outcome

    return solve


def main(problems, rtol, store):
    np.seterr(all="ignore")
    print(f"{'problem':<14}{'solver':<14}{'outcome':<16}{'scd':>7}{'mescd':>7}{'steps':>8}{'#f':>9}{'#Jac':>7}{'#LU':>7}{'CPU [s]':>10}")
    for problem in problems.split(","):
        test = ivp.Test(problem)
        for name, method, implicit, order in SOLVERS:
            flags = ivp.TAKES_H0 | ivp.TAKES_VECTOR_TOLERANCES | (ivp.IMPLICIT if implicit else 0)
            r = test.measure(name, solver_of(method, implicit), rtol, order=order, flags=flags, version=scipy.__version__, timeout_s=20, store=store,
                             reference="P. Virtanen et al., Nature Methods 17 (2020) 261-272")
            digits = ["-" if r[k] is None else f"{r[k]:.2f}" for k in ("scd", "mescd")]
            print(f"{problem:<14}{name:<14}{r['outcome']:<16}{digits[0]:>7}{digits[1]:>7}{r['accepted']:>8}{r['nfev']:>9}{r['njac']:>7}{r['nlu']:>7}"
                  f"{r['cpu_s']:>10.3g}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "hires", float(sys.argv[2]) if len(sys.argv) > 2 else 1e-4, (sys.argv + [None] * 3)[3])
    except ivp.WrongUse as e:
        sys.exit(f"{e}")
