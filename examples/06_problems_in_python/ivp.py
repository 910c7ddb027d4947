"""The problems of ivp in Python: libivp_c through ctypes. What each function and field means stands in ivp/ivp.h and ivp/plugin.h, under the same names.

    test = ivp.Test("hires")
    record = test.measure("my-solver", solve, rtol=1e-6)      # solve(task) -> outcome, see Task

The environment variable IVP_LIBRARY names the library; without it the loader looks for libivp_c.so.
"""

import ctypes
import json
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

import numpy as np

VERSION = 1
OK, REFUSED, NONFINITE, STOP = range(4)
ODE, DAE, IDE = 1, 2, 4
IMPLICIT, TAKES_H0, TAKES_VECTOR_TOLERANCES, TAKES_ZERO_RTOL = 1, 2, 256, 64
SUCCESS, TOO_MANY_STEPS, STEP_TOO_SMALL, NEWTON_FAILED, ERROR_TEST_FAILED, SINGULAR_MATRIX, NOT_FINITE, STOPPED = range(8)

_vector = POINTER(c_double)
_f = ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_void_p, c_void_p)
_jacobian = ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_void_p, c_void_p, c_int32)
_other = c_void_p


class _Struct(ctypes.Structure):
    """A struct of the contract: `version` and `size` come first and are set here."""

    def __init__(self, **fields):
        super().__init__(version=VERSION, size=ctypes.sizeof(type(self)), **fields)


def _fields(*groups):
    return [("version", c_uint32), ("size", c_uint32)] + [(name, kind) for kind, names in groups for name in names.split()]


class ivp_solver_description(_Struct):
    _fields_ = _fields((c_char_p, "name title solver_version language error_norm lu_unit reference"), (c_uint32, "forms flags"),
                       (c_int32, "highest_index lowest_order highest_order max_threads option_count reserved"), (c_void_p, "options"))


class ivp_step(_Struct):
    _fields_ = _fields((c_double, "t_old t h"), (c_void_p, "y"), (c_double, "error_bound error_norm"),
                       (c_void_p, "error_estimate error_weights interpolate interpolation_data"))


class ivp_callbacks(_Struct):
    _fields_ = _fields((_f, "f"), (_other, "g"), (_f, "f_difference"), (_other, "g_difference"), (_jacobian, "jacobian"),
                       (_other, "jacobian_band jacobian_sparse partials partials_band partials_sparse mass_multiply"),
                       (ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ivp_step)), "accepted_step"),
                       (ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_int32), "factorised"), (ctypes.CFUNCTYPE(None, c_void_p, c_int32), "solved"),
                       (ctypes.CFUNCTYPE(None, c_void_p), "jacobian_by_differences"), (_f, "time_derivative"))


class ivp_task(_Struct):
    _fields_ = _fields((c_int32, "n form"), (c_double, "t0 tend"), (_vector, "y yp rtol atol"), (c_double, "h0 hmax"), (c_uint64, "max_steps"),
                       (_vector, "options"), (c_int32, "option_count scalar_tolerances threads algebra exact_jacobian observed highest_index "
                                              "jacobian_kind jacobian_lower jacobian_upper"), (c_void_p, "jacobian_column_start jacobian_row index"),
                       (c_int32, "mass_kind mass_lower mass_upper reserved"), (_vector, "mass"), (POINTER(ivp_callbacks), "callbacks"),
                       (c_void_p, "host"), (c_int32, "which autonomous continues reserved_2"))


class ivp_result(_Struct):
    _fields_ = _fields((c_int32, "outcome reserved"), (c_double, "t"), (c_int64, "steps accepted error_rejections nfev njac nlu nsolve"),
                       (ctypes.c_char * 256, "message"))


class ivp_settings(_Struct):
    _fields_ = _fields((c_double, "rtol"), (c_void_p, "atol"), (c_double, "h0 hmax tend timeout_s"), (c_uint64, "max_steps"),
                       (c_int32, "repeat differences"), (c_void_p, "options"), (c_int32, "no_restart reserved"), (c_char_p, "others"))


_solve_function = ctypes.CFUNCTYPE(None, c_void_p, POINTER(ivp_task), POINTER(ivp_result))


def _load():
    name = os.environ.get("IVP_LIBRARY", "libivp_c.so")
    try:
        library = ctypes.CDLL(name)
    except OSError as e:
        raise OSError(f"{e}; set IVP_LIBRARY to the path of libivp_c.so") from None
    for name, answer, *arguments in (
            ("ivp_last_error", c_char_p), ("ivp_catalog_size", c_int32), ("ivp_catalog_id", c_char_p, c_int32),
            ("ivp_test_open", c_void_p, c_char_p, c_char_p, c_int32), ("ivp_test_close", None, c_void_p), ("ivp_test_dimension", c_int32, c_void_p),
            ("ivp_test_form", c_int32, c_void_p), ("ivp_test_t0", c_double, c_void_p), ("ivp_test_tend", c_double, c_void_p),
            ("ivp_test_initial", c_int, c_void_p, c_void_p, c_void_p), ("ivp_test_f", c_int, c_void_p, c_double, c_void_p, c_void_p),
            ("ivp_test_jacobian", c_int, c_void_p, c_double, c_void_p, c_void_p, c_int32),
            ("ivp_test_digits", c_int, c_void_p, c_double, c_void_p, c_void_p, _vector, _vector),
            ("ivp_measure", c_char_p, c_void_p, POINTER(ivp_solver_description), _solve_function, c_void_p, POINTER(ivp_settings), c_char_p)):
        function = getattr(library, name)
        function.restype, function.argtypes = answer, arguments
    return library


_library = _load()


class WrongUse(ValueError):
    """What ivp_last_error says."""


class Refused(ArithmeticError):
    """f or its Jacobian cannot be evaluated here: `status` is REFUSED, NONFINITE or STOP."""

    def __init__(self, status):
        super().__init__(f"evaluation answered {status}")
        self.status = status


def problems():
    return [_library.ivp_catalog_id(k).decode() for k in range(_library.ivp_catalog_size())]


class Task:
    """One integration from t0 to tend, as a solver gets it."""

    def __init__(self, raw, result):
        self._raw, self._call, self.result = raw, raw.callbacks.contents, result
        self.n, self.t0, self.tend, self.max_steps, self.hmax = raw.n, raw.t0, raw.tend, raw.max_steps, raw.hmax
        self.h0 = raw.h0 if raw.h0 > 0 else None
        self.rtol, self.atol = (np.ctypeslib.as_array(v, (raw.n,)).copy() for v in (raw.rtol, raw.atol))
        self.y = np.ctypeslib.as_array(raw.y, (raw.n,))  # in and out: assign to task.y[:]
        self.exact_jacobian = raw.exact_jacobian == 1

    def f(self, t, y):
        y, out = np.ascontiguousarray(y, dtype=float), np.empty(self.n)
        status = self._call.f(self._raw.host, t, y.ctypes.data, out.ctypes.data)
        if status != OK:
            raise Refused(status)
        return out

    def jacobian(self, t, y):
        y, out = np.ascontiguousarray(y, dtype=float), np.empty((self.n, self.n), order="F")
        status = self._call.jacobian(self._raw.host, t, y.ctypes.data, out.ctypes.data, self.n)
        if status != OK:
            raise Refused(status)
        return out

    def factorised(self, count):
        for _ in range(count):
            self._call.factorised(self._raw.host, 1, 0)

    def accepted_step(self, t_old, t, y):
        """To be called after every accepted step; False: the run must end."""
        y = np.ascontiguousarray(y, dtype=float)
        step = ivp_step(t_old=t_old, t=t, h=t - t_old, y=y.ctypes.data, error_bound=1)
        self.result.t = t
        return self._call.accepted_step(self._raw.host, ctypes.byref(step)) == OK


class Test:
    """A problem of the test set, opened."""

    def __init__(self, problem, parameters="", form=0):
        self._handle = _library.ivp_test_open(problem.encode(), parameters.encode(), form)
        if not self._handle:
            raise WrongUse(_library.ivp_last_error().decode())
        self.n, self.form = _library.ivp_test_dimension(self._handle), _library.ivp_test_form(self._handle)
        self.t0, self.tend = _library.ivp_test_t0(self._handle), _library.ivp_test_tend(self._handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.ivp_test_close(self._handle)

    def initial(self):
        y = np.empty(self.n)
        _library.ivp_test_initial(self._handle, y.ctypes.data, None)
        return y

    def f(self, t, y):
        y, out = np.ascontiguousarray(y, dtype=float), np.empty(self.n)
        status = _library.ivp_test_f(self._handle, t, y.ctypes.data, out.ctypes.data)
        if status < 0:
            raise WrongUse(_library.ivp_last_error().decode())
        if status != OK:
            raise Refused(status)
        return out

    def digits(self, rtol, y):
        """scd and mescd of y at tend."""
        y, scd, mescd = np.ascontiguousarray(y, dtype=float), c_double(), c_double()
        if _library.ivp_test_digits(self._handle, rtol, None, y.ctypes.data, scd, mescd) != OK:
            raise WrongUse(_library.ivp_last_error().decode())
        return scd.value, mescd.value

    def measure(self, name, solve, rtol, *, order=(1, 5), flags=IMPLICIT | TAKES_H0 | TAKES_VECTOR_TOLERANCES, store=None, language="Python",
                version=None, reference=None, **settings):
        """The record of a measured run. solve(task) integrates and answers an outcome; exceptions of it pass through."""
        about = ivp_solver_description(name=name.encode(), language=language.encode(), forms=ODE, flags=flags, lowest_order=order[0],
                                       highest_order=order[1], solver_version=version.encode() if version else None,
                                       reference=reference.encode() if reference else None)
        raised = []

        def called(_, task, result):
            try:
                result.contents.outcome = solve(Task(task.contents, result.contents))
            except Refused as e:
                result.contents.outcome = STOPPED if e.status == STOP else NOT_FINITE
            except Exception as e:  # no exception may pass through C; without an outcome the record says 'crashed'
                raised.append(e)

        line = _library.ivp_measure(self._handle, about, _solve_function(called), None, ivp_settings(rtol=rtol, **settings),
                                    store.encode() if store else None)
        if raised:
            raise raised[0]
        if line is None:
            raise WrongUse(_library.ivp_last_error().decode())
        return json.loads(line)
