#!/usr/bin/env python3
"""Ten problems as Python functions: radau5 through ivp.solve against solve_ivp(method="Radau"), interleaved in one run; CPU time, digits, evaluations.

    python_functions.py [TOLERANCE [ROUNDS [TOLERANCE_OF_IVP]]]

The same function, tolerances (rtol = atol) and no Jacobian: both use difference quotients. Truth: ivp's radau at 1e-12. The table is Markdown.
"""

import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import ivp


def vdp(t, y):
    return [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]


def robertson(t, y):
    a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [-a + b, a - b - c, c]


def oregonator(t, y):
    return [77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1])), (y[2] - (1 + y[0]) * y[1]) / 77.27, 0.161 * (y[0] - y[2])]


def lotka(t, y):
    return [1.5 * y[0] - y[0] * y[1], -3 * y[1] + y[0] * y[1]]


def pendulum(t, y):
    return [y[1], -0.25 * y[1] - 5 * np.sin(y[0])]


def brusselator(t, y):
    return [1 + y[0] ** 2 * y[1] - 4 * y[0], 3 * y[0] - y[0] ** 2 * y[1]]


def prothero(t, y):
    return [-1e4 * (y[0] - np.cos(t)) - np.sin(t)]


def fitzhugh(t, y):
    return [50 * (y[0] - y[0] ** 3 / 3 - y[1] + 0.5), (y[0] + 0.7 - 0.8 * y[1]) * 0.5]


def heat(t, y):
    padded = np.concatenate(([0.0], y, [0.0]))
    return 41 ** 2 * (padded[2:] - 2 * y + padded[:-2])


def sir(t, y):
    s, i, r = y
    return [-0.5 * s * i, 0.5 * s * i - 0.1 * i, 0.1 * i]


PROBLEMS = [("van der Pol, mu = 1000", vdp, 2000, [2, 0]), ("Robertson", robertson, 1e5, [1, 0, 0]), ("Oregonator", oregonator, 360, [1, 2, 3]),
            ("Lotka-Volterra", lotka, 15, [10, 5]), ("damped pendulum", pendulum, 10, [np.pi - 0.1, 0]), ("Brusselator", brusselator, 20, [1.5, 3]),
            ("Prothero-Robinson", prothero, 10, [1]), ("FitzHugh-Nagumo", fitzhugh, 40, [-1, 1]),
            ("heat, 40 points", heat, 0.5, np.sin(np.pi * np.arange(1, 41) / 41) + 0.3), ("SIR", sir, 100, [0.99, 0.01, 0])]


def digits(y, truth):
    return -np.log10(max(np.max(np.abs(y - truth) / (1 + np.abs(truth))), 1e-16))


def main(tol, rounds, own_tol):
    print("| problem | digits, ivp | digits, SciPy | f, ivp | f, SciPy | CPU [ms], ivp | CPU [ms], SciPy | SciPy / ivp |\n|---|---|---|---|---|---|---|---|")
    ratios = []
    for name, f, tend, y0 in PROBLEMS:
        truth = ivp.solve(f, (0, tend), y0, "radau", rtol=1e-12).y[:, -1]
        times = {"ivp": [], "scipy": []}
        for _ in range(rounds):
            begin = time.process_time()
            ours = ivp.solve(f, (0, tend), y0, "radau5", rtol=own_tol, atol=own_tol)
            times["ivp"].append(time.process_time() - begin)
            calls = [0]

            def counted(t, y):
                calls[0] += 1
                return f(t, y)

            begin = time.process_time()
            theirs = solve_ivp(f, (0, tend), y0, method="Radau", rtol=tol, atol=tol)
            times["scipy"].append(time.process_time() - begin)
        solve_ivp(counted, (0, tend), y0, method="Radau", rtol=tol, atol=tol)
        a, b = min(times["ivp"]), min(times["scipy"])
        ratios.append(b / a)
        print(f"| {name} | {digits(ours.y[:, -1], truth):.1f} | {digits(theirs.y[:, -1], truth):.1f} | {ours.nfev + ours.nfev_jac} | {calls[0]} "
              f"| {1e3 * a:.2f} | {1e3 * b:.2f} | {b / a:.1f} |")
    print(f"\ngeometric mean of SciPy / ivp: {np.exp(np.mean(np.log(ratios))):.1f}")


if __name__ == "__main__":
    given = (sys.argv + ["1e-6", "5"][len(sys.argv) - 1:])[1:]
    main(float(given[0]), int(given[1]), float(given[2] if len(given) > 2 else given[0]))
