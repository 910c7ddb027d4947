"""Problems: of the catalog, of files, of Python functions."""

from __future__ import annotations

import contextlib
import html
import os
import re
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from . import _core
from ._optional import need

_FORMS = {1: "ode", 2: "dae", 4: "ide"}
_CODES = {label: code for code, label in _FORMS.items()}
_FULL, _BAND, _SPARSE = 0, 1, 2
# Messages of the library are for users of C and of the tool.
_OTHER_WORDS = (("'ivp list problems' shows all", "ivp.problems() names all"), ("'ivp list solvers' shows all", "ivp.solvers() names all"),
                ("others: ", ""), ("max-steps", "max_steps"), ("min-time", "min_time"))


@contextlib.contextmanager
def words_of_python() -> Iterator[None]:
    """Errors of the library in the words of this package."""
    try:
        yield
    except _core.Error as e:
        text = str(e)
        for theirs, ours in _OTHER_WORDS:
            text = text.replace(theirs, ours)
        raise type(e)(text) from None


def real(name: str, value: Any) -> float:
    """The value as a float, or an error that names it."""
    try:
        return float(value)
    except (TypeError, ValueError) as e:
        raise (TypeError if isinstance(e, TypeError) else _core.Error)(f"{name}: {value!r} given; allowed: a number") from None


class Parameter(NamedTuple):
    """A named number of a problem, with its default and range."""

    name: str
    value: float
    default: float
    min: float
    max: float
    whole: bool
    meaning: str


class Problem(_core.Problem):
    """An initial value problem: y' = f(t, y), M y' = f(t, y) or G(t, y, y') = 0.

    Made by ivp.problem(). The methods f and g (and time_derivative) come from the compiled part and count their calls (see counts).
    """

    def __init__(self, *opening: Any) -> None:
        super().__init__(*opening)
        self._known = self._describe()

    def __repr__(self) -> str:
        return f"<ivp.Problem {self.id}: {self.form}, n = {self.n}, t = {self.t0:g} .. {self.tend:g}>"

    def _repr_html_(self) -> str:
        form = {"ode": "y' = f(t, y)", "dae": "M y' = f(t, y)", "ide": "G(t, y, y') = 0"}[self.form]
        rows = [("problem", f"{self.title} ({self.id})"), ("form", form), ("equations", self.n), ("interval", f"{self.t0:g} to {self.tend:g}"),
                ("Jacobian", self.structure)]
        if self.highest_index:
            rows.append(("index", self.highest_index))
        if self.parameters:
            rows.append(("parameters", ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items())))
        digits = self.reference_digits
        rows.append(("reference", "none" if digits is None else f"{digits.min():g} digits or more"))
        return html_table(rows)

    # ---- Facts ----

    id = property(lambda self: self._known["id"], doc="Its name in tables and records.")
    title = property(lambda self: self._known["title"], doc="As a person writes it.")
    form = property(lambda self: _FORMS[self._known["form"]], doc="'ode', 'dae' or 'ide'.")
    n = property(lambda self: self._known["n"], doc="Number of components.")
    t0 = property(lambda self: self._known["t0"], doc="Beginning of the interval.")
    tend = property(lambda self: self._known["tend"], doc="End of the interval.")
    highest_index = property(lambda self: self._known["highest_index"], doc="0 for an ODE, else 0 to 3.")
    names = property(lambda self: list(self._known["names"]), doc="Names of the components; empty: they have none.")

    @property
    def index(self) -> np.ndarray:
        """Index of each variable: 1, 2 or 3."""
        return self._known["index"].copy()

    @property
    def breakpoints(self) -> np.ndarray:
        """Times at which a run is restarted."""
        return self._known["breakpoints"].copy()

    @property
    def structure(self) -> str:
        """Structure of the Jacobian: 'full', 'band' or 'sparse'."""
        return ("full", "band", "sparse")[self._known["jacobian_kind"]]

    @property
    def bandwidth(self) -> tuple[int, int]:
        """Diagonals below and above the main one; n - 1 for a full matrix."""
        return self._known["lower"], self._known["upper"]

    @property
    def y0(self) -> np.ndarray:
        """y(t0)."""
        return self._initial(False)

    @property
    def yp0(self) -> np.ndarray:
        """A consistent y'(t0), computed if the problem does not state it."""
        return self._initial(True)

    @property
    def reference(self) -> np.ndarray | None:
        """The solution at tend, if it is known for these parameters. ivp.reference() gives its digits as text."""
        value = self._known["reference"]
        return None if value is None else value.copy()

    @property
    def reference_digits(self) -> np.ndarray | None:
        """How many digits of each component of the reference are confirmed."""
        value = self._known["reference_digits"]
        return None if value is None else value.copy()

    @property
    def parameters(self) -> dict[str, float]:
        """The values of the named parameters; ivp.problem(id, name=value) sets them."""
        return {row[0]: row[1] for row in self._parameters()}

    @property
    def parameter_info(self) -> list[Parameter]:
        """The parameters with defaults, ranges and meanings."""
        return [Parameter(name, value, default, least, most, bool(whole), meaning)
                for name, value, default, least, most, whole, meaning in self._parameters()]

    @property
    def counts(self) -> dict[str, int]:
        """Evaluations since the problem was opened or begin() was called."""
        return self._counts()

    def tolerances(self, rtol: float) -> tuple[np.ndarray, np.ndarray]:
        """rtol and atol of all components, made from one number by the problem's protocol."""
        return self._tolerances(rtol)[:2]

    def first_step(self, rtol: float) -> float:
        """The first step of the protocol, for solvers that need one."""
        return self._tolerances(rtol)[2]

    def digits(self, y: Any, rtol: float = 1e-6, atol: Any = None) -> tuple[float, float]:
        """scd and mescd of y at tend; nan: not defined."""
        return self._digits(y, rtol, None if atol is None else _spread(atol, self.n))

    # ---- Matrices ----

    def jacobian(self, t: float, y: Any) -> Any:
        """df/dy: an array, or for a band or sparse problem a SciPy sparse matrix."""
        return self._as_matrix(self._jacobian(t, y))

    def partials(self, t: float, y: Any, yp: Any, a: float, b: float) -> Any:
        """a dG/dy + b dG/dy' of an implicit problem, stored as jacobian() is."""
        return self._as_matrix(self._partials(t, y, yp, a, b))

    def _as_matrix(self, values: np.ndarray) -> Any:
        known = self._known
        return matrix_of(values, self.n, self.structure, self.bandwidth, known["row"], known["column_start"])

    @property
    def mass(self) -> np.ndarray | None:
        """M of M y' = f as an array; None: the identity."""
        if self.form == "ide":
            raise _core.Error(f"mass asked of {self.id}, which has the form G(t, y, y') = 0")
        return None if self.form == "ode" else self._mass()


def html_table(rows: Sequence[tuple[str, Any]]) -> str:
    """Names and values for a notebook."""
    return "<table>" + "".join(f"<tr><th>{html.escape(str(key))}</th><td>{html.escape(str(value))}</td></tr>" for key, value in rows) + "</table>"


def matrix_of(values: np.ndarray, n: int, structure: str, bandwidth: tuple[int, int], row: np.ndarray, column_start: np.ndarray) -> Any:
    """A Jacobian as the C interface stores it (full, the rows of a band, the entries of a pattern) as an array or a SciPy sparse matrix."""
    if structure == "full":
        return values
    sparse = need("scipy.sparse", "A Jacobian with structure")
    if structure == "band":
        lower, upper = bandwidth
        return sparse.dia_matrix((values, range(upper, -lower - 1, -1)), shape=(n, n))
    return sparse.csc_matrix((values, row, column_start), shape=(n, n))


def problems() -> list[str]:
    """The ids of the catalog."""
    return _core.problems()


def problem(what: Any, t_span: Sequence[float] | None = None, y0: Any = None, *, form: str | None = None, jac: Any = None, mass: Any = None,
            jac_sparsity: Any = None, band: tuple[int, int] | None = None, index: Sequence[int] | None = None, breakpoints: Sequence[float] = (),
            yp0: Any = None, implicit: bool = False, args: Sequence[Any] = (), name: str | None = None, **parameters: Any) -> Problem:
    """A problem.

    problem("hires", k1=2): of the catalog, with named parameters. problem("./mine.ivp"): of a text, a plug-in, a Fortran file. form="ide" or
    form="dae" asks for it in another form.

    problem(f, (t0, tend), y0): of a Python function f(t, y, *args). jac(t, y, *args) gives df/dy as an array or a SciPy sparse matrix (or is a
    constant one); without it solvers use difference quotients. jac_sparsity: a matrix that is not zero where df/dy may be; band = (lower, upper):
    the diagonals that it has. mass: M of M y' = f. index: of each variable of a DAE. implicit: the function is G(t, y, y', *args), and yp0 is y'(t0).
    A function that raises ivp.EvaluationError says that it is not defined there: solvers cut their step.
    """
    if isinstance(what, Problem):
        return what
    if callable(what):
        if form is not None or parameters:
            raise TypeError(f"{', '.join(parameters) or 'form'}: not an argument for a problem of functions")
        return _of_function(what, t_span, y0, jac, mass, jac_sparsity, band, index, breakpoints, yp0, implicit, tuple(args), name)
    if not isinstance(what, (str, os.PathLike)):
        raise TypeError(f"a problem is a name, a path or a function; {type(what).__name__} given")
    if t_span is not None or y0 is not None or jac is not None or mass is not None:
        raise TypeError("t_span, y0, jac, mass: for a problem of functions only")
    if form is not None and form not in _CODES:
        raise _core.Error(f"form: '{form}' given; allowed: ode, dae, ide")
    pairs = ",".join(f"{key}={_number_text(key, value)}" for key, value in parameters.items())
    with words_of_python():
        return Problem(os.fspath(what), pairs or None, _CODES.get(form, 0))


def _number_text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return repr(float(value)) if not isinstance(value, (int, np.integer)) else str(int(value))
    except (TypeError, ValueError):
        raise _core.Error(f"{key}: {value!r} given; allowed: a number") from None


def _spread(value: Any, n: int) -> np.ndarray:
    """One number for all components, or n."""
    array = np.asarray(value)
    if np.iscomplexobj(array):
        raise _core.Error("atol: complex numbers given; allowed: real ones")
    array = array.astype(float)
    return np.full(n, array) if array.ndim == 0 else array


def _of_function(function: Callable, t_span: Any, y0: Any, jac: Any, mass: Any, jac_sparsity: Any, band: Any, index: Any, breakpoints: Any, yp0: Any,
                 implicit: bool, args: tuple, name: str | None) -> Problem:
    try:
        t0, tend = (float(t) for t in t_span if not np.iscomplexobj(t))
    except (TypeError, ValueError):
        raise _core.Error(f"t_span: {t_span!r} given; allowed: two numbers, (t0, tend)") from None
    if y0 is None:
        raise _core.Error("y0: none given; allowed: the initial values")
    start = np.atleast_1d(np.asarray(y0))
    if start.ndim != 1 or start.size == 0 or not np.issubdtype(start.dtype, np.number) or np.iscomplexobj(start):
        raise _core.Error(f"y0: an array of shape {start.shape} and type {start.dtype} given; allowed: one dimension of real numbers")
    n = start.size
    called = (lambda *given: function(*given, *args)) if args else function
    breaks = _numbers("breakpoints", breakpoints)
    if np.any(np.diff([t0, *breaks, tend]) <= 0) and breaks.size and t0 < tend:
        raise _core.Error(f"breakpoints: {breaks.tolist()} given; allowed: increasing times between {t0:g} and {tend:g}")
    facts: dict[str, Any] = {"id": _clean(name or getattr(function, "__name__", "function")), "t0": t0, "tend": tend, "y0": start.astype(float),
                             "function": called, "implicit": int(implicit), "breakpoints": breaks}
    if yp0 is not None:
        facts["yp0"] = _numbers("yp0", yp0, n)
    if mass is not None:
        matrix = np.asarray(mass.toarray() if hasattr(mass, "toarray") else mass, dtype=float)
        if matrix.shape != (n, n):
            raise _core.Error(f"mass: an array of shape {matrix.shape} given; allowed: {(n, n)}")
        facts["mass"] = matrix.ravel(order="F")
        facts["highest_index"] = int(np.linalg.matrix_rank(matrix) < n)
    if implicit:
        facts["highest_index"] = 1
    if index is not None:
        facts["index"] = _numbers("index", index, n)
        facts["highest_index"] = int(max(facts["index"]))
    if implicit and jac is not None:
        raise _core.Error("jac: given for an implicit problem; allowed: none (difference quotients are used)")
    _add_jacobian(facts, jac, jac_sparsity, band, args, t0, start.astype(float))
    return Problem(facts)


def _numbers(name: str, values: Any, n: int | None = None) -> np.ndarray:
    """One dimension of real numbers, n of them if it is given."""
    try:
        array = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise _core.Error(f"{name}: {values!r} given; allowed: real numbers") from None
    if array.ndim != 1 or (n is not None and array.size != n):
        raise _core.Error(f"{name}: an array of shape {array.shape} given; allowed: {'one dimension' if n is None else (n,)}")
    return array


def _clean(name: str) -> str:
    text = re.sub(r"[^a-z0-9_-]", "-", name.lower()).strip("-_")
    return (text if text[:1].isalpha() else "function")[:40]


def _add_jacobian(facts: dict, jac: Any, jac_sparsity: Any, band: Any, args: tuple, t0: float, y0: np.ndarray) -> None:
    n = y0.size
    if jac is not None and not callable(jac):
        constant = jac
        jacobian = lambda t, y: constant  # noqa: E731
    elif jac is not None and args:
        jacobian = lambda t, y: jac(t, y, *args)  # noqa: E731
    else:
        jacobian = jac
    if band is not None:
        try:
            lower, upper = (int(k) for k in band)
        except (TypeError, ValueError):
            lower = upper = -1
        if not (0 <= lower < n and 0 <= upper < n):
            raise _core.Error(f"band: {band!r} given; allowed: two whole numbers from 0 to {n - 1}, (lower, upper)")
        facts.update(jacobian_kind=_BAND, lower=lower, upper=upper)
        if jacobian is not None:
            facts["jacobian"] = lambda t, y: _band_of(_dense(jacobian(t, y), n), lower, upper)
        return
    if jac_sparsity is None and jacobian is not None:
        first = jacobian(t0, y0.copy())
        if hasattr(first, "tocsc"):
            jac_sparsity = first
    if jac_sparsity is None:
        if jacobian is not None:
            facts["jacobian"] = lambda t, y: _dense(jacobian(t, y), n)
        return
    sparse = need("scipy.sparse", "A sparse Jacobian")
    pattern = sparse.csc_matrix(jac_sparsity)
    if pattern.shape != (n, n):
        raise _core.Error(f"jac_sparsity: a matrix of shape {pattern.shape} given; allowed: {(n, n)}")
    pattern = (sparse.csc_matrix((np.ones(pattern.nnz), pattern.indices, pattern.indptr), shape=(n, n)) + sparse.identity(n, format="csc")).tocsc()
    pattern.sort_indices()
    facts.update(jacobian_kind=_SPARSE, column_start=pattern.indptr, row=pattern.indices)
    if jacobian is not None:
        facts["jacobian"] = _entries_of(jacobian, pattern, sparse)


def _dense(matrix: Any, n: int) -> np.ndarray:
    array = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)
    return array.reshape(1, 1) if n == 1 and array.size == 1 else array


def _band_of(full: np.ndarray, lower: int, upper: int) -> np.ndarray:
    n = full.shape[0]
    rows = np.zeros((lower + upper + 1, n), order="F")
    for k in range(-lower, upper + 1):
        rows[upper - k, max(0, k):n + min(0, k)] = np.diagonal(full, k)
    return rows


def _entries_of(jacobian: Callable, pattern: Any, sparse: Any) -> Callable:
    """The entries of what jacobian gives, in the order of the pattern."""
    columns = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))

    def entries(t, y):
        matrix = sparse.csc_matrix(jacobian(t, y))
        matrix.sum_duplicates()
        if matrix.shape != pattern.shape:
            raise _core.Error(f"the value of the Jacobian: a matrix of shape {matrix.shape} given; allowed: {pattern.shape}")
        if np.array_equal(matrix.indptr, pattern.indptr) and np.array_equal(matrix.indices, pattern.indices):
            return matrix.data
        outside = matrix - matrix.multiply(pattern)
        if outside.nnz and np.any(outside.data):
            raise _core.Error("the value of the Jacobian has entries outside jac_sparsity")
        return np.asarray(matrix[pattern.indices, columns]).ravel()

    return entries


def text_of_settings(settings: Mapping[str, Any]) -> str | None:
    """'name=value' pairs for the C interface."""
    pairs = []
    for name, value in settings.items():
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)):
            value = "yes" if value else "no"
        text = value if isinstance(value, str) else _number_text(name, value)
        if "," in text or "=" in name:
            raise _core.Error(f"{name}: '{text}' given; allowed: one value")
        pairs.append(f"{name}={text}")
    return ",".join(pairs) or None
