// The numbers of all runs, and what they are called.
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs;
const curveById = new Map(data.curves.map((c) => [c.id, c]));

const outcomeOf = (r) => data.outcomes[runs.outcome[r]];
const succeeded = (r) => outcomeOf(r) === "success";
const workNames = { cpu: "CPU time [s]", wall: "wall time [s]", f: "evaluations of f", lu: "LU factorisations" };
const precisionNames = {
  mescd: "correct digits at the end point (mescd)",
  scd: "correct digits at the end point (scd)",
  path: "correct digits, worst along the path (mescd)",
  rms: "correct digits, root mean square along the path",
};

/** Work of a run, or null where it was not measured or is zero. */
function workOf(r, kind) {
  const v = runs[kind][r];
  return v > 0 ? v : null;
}

/** Digits of a run, or null. */
function digitsOf(r, kind) {
  return runs[kind] ? runs[kind][r] : null;
}

/** Name of the curve that a run belongs to. */
const curveOfRun = new Map();
for (const group of data.groups)
  for (const curve of group.curves) for (const r of curve.runs) curveOfRun.set(r, curve.id);

/** 0.0123, 4.2e-5: three digits. */
function short(v) {
  if (v === null || v === undefined) return "–";
  const a = Math.abs(v);
  if (a === 0) return "0";
  if (a >= 1e5 || a < 1e-4) return v.toExponential(2).replace(/\.?0+e/, "e");
  return String(Number(v.toPrecision(3)));
}

// Numbers are written as the program writes them (src/report/render/numbers.cpp).

/** Three digits with a unit: 12.3 ms. */
function duration(s) {
  if (s === null || s === undefined) return "–";
  if (!(s > 0)) return "0\u202fs";
  const rounded = Number(s.toPrecision(3));
  const [factor, unit] = rounded < 1e-3 ? [1e6, "µs"] : rounded < 1 ? [1e3, "ms"] : [1, "s"];
  const v = rounded * factor;
  return `${v.toFixed(v < 9.995 ? 2 : v < 99.95 ? 1 : 0)}\u202f${unit}`;
}

/** 12 345. */
const wholeNumber = (n) => (n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f"));

/** A power of ten, whole or on a ladder with up to eight steps in a decade; otherwise three digits and a power. */
function tolerance(v) {
  if (!(v > 0)) return ["0"];
  const raised = (k) => element("sup", {}, String(Number(k.toPrecision(4))).replace("-", "−"));
  const exponent = Math.log10(v), eighths = Math.round(exponent * 8) / 8;
  if (Math.abs(exponent - eighths) < 1e-6) return ["10", raised(eighths)];
  const [mantissa, power] = v.toExponential(2).split("e");
  return [`${Number(mantissa)}·10`, raised(Number(power))];
}

const two = (v) => (v === null || v === undefined ? "–" : v.toFixed(2).replace(/^-(?!0\.00$)/, "−").replace("-", ""));

function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

function svgElement(name, attributes = {}) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}
