/** A tenth of a pixel is fine enough. */
const tenth = (v) => Number(v.toFixed(1));

// A plot that is already drawn: its axes can be changed and drawn again.
class Plot {
  constructor(svg) {
    this.svg = svg;
    const [left, top, right, bottom] = svg.dataset.box.split(" ").map(Number);
    this.box = { left, top, right, bottom };
    this.x = Plot.axis(svg.dataset.x);
    this.y = Plot.axis(svg.dataset.y);
  }

  static axis(text) {
    const [kind, from, to] = text.split(" ");
    return { log: kind === "log", from: Number(from), to: Number(to) };
  }

  static place(axis, v) {
    if (!axis.log) return (v - axis.from) / (axis.to - axis.from);
    return (Math.log10(v) - Math.log10(axis.from)) / (Math.log10(axis.to) - Math.log10(axis.from));
  }

  static value(axis, place) {
    if (!axis.log) return axis.from + place * (axis.to - axis.from);
    return 10 ** (Math.log10(axis.from) + place * (Math.log10(axis.to) - Math.log10(axis.from)));
  }

  px(v) { return this.box.left + Plot.place(this.x, v) * (this.box.right - this.box.left); }
  py(v) { return this.box.bottom - Plot.place(this.y, v) * (this.box.bottom - this.box.top); }
  xAt(px) { return Plot.value(this.x, (px - this.box.left) / (this.box.right - this.box.left)); }
  yAt(py) { return Plot.value(this.y, (this.box.bottom - py) / (this.box.bottom - this.box.top)); }

  /** Where the pointer is, in the plot's own pixels. */
  pointer(event) {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return { x: p.x, y: p.y };
  }

  inside(x, y) {
    const b = this.box;
    return x >= b.left - 0.5 && x <= b.right + 0.5 && y >= b.top - 0.5 && y <= b.bottom + 0.5;
  }

  /** The rule of the program that drew the plot first. */
  static ticks(axis) {
    const ticks = [];
    if (axis.log) {
      const decades = Math.log10(axis.to / axis.from);
      if (decades < 0.5) {
        for (const t of Plot.ticks({ log: false, from: axis.from, to: axis.to })) if (t.v > 0) ticks.push({ v: t.v, text: short(t.v) });
        return ticks;
      }
      const first = Math.floor(Math.log10(axis.from) + 1e-9), last = Math.floor(Math.log10(axis.to) + 1e-9);
      const step = Math.max(1, Math.floor((last - first + 7) / 8));
      for (let k = first; k <= last; k += step)
        for (const factor of decades > 2.5 ? [1] : [1, 2, 5]) {
          const v = factor * 10 ** k;
          if (v >= axis.from * (1 - 1e-9) && v <= axis.to * (1 + 1e-9)) ticks.push({ v, text: Plot.power(factor, k) });
        }
      return ticks;
    }
    const raw = (axis.to - axis.from) / 8;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((f) => raw <= f * power * (1 + 1e-9));
    for (let k = Math.ceil(axis.from / step - 1e-9); k * step <= axis.to + 1e-9 * step; ++k)
      ticks.push({ v: k * step, text: String(Number((k * step).toPrecision(6))).replace("-", "−") });
    return ticks;
  }

  static power(factor, k) {
    if (k >= 0 && k <= 2) return String(factor) + "0".repeat(k);
    return (factor === 1 ? "" : `${factor}·`) + "10" + String(k).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));
  }

  /** Down and up to 1, 2 or 5 times a power of ten, at least a decade. */
  static roundLog(low, high) {
    const powerBelow = (v) => 10 ** Math.floor(Math.log10(v) + 1e-9);
    const below = powerBelow(low), above = powerBelow(high), e = 1e-9;
    let from = below * (low >= 5 * below * (1 - e) ? 5 : low >= 2 * below * (1 - e) ? 2 : 1);
    let to = above * (high <= above * (1 + e) ? 1 : high <= 2 * above * (1 + e) ? 2 : high <= 5 * above * (1 + e) ? 5 : 10);
    if (to < 10 * from) {
      from = powerBelow(from);
      to = Math.max(to, 10 * from);
    }
    return { log: true, from, to };
  }

  drawAxes() {
    const b = this.box;
    let grid = "";
    const labels = this.svg.querySelector(".ticks");
    const left = labels.querySelector(".yt")?.getAttribute("x") ?? b.left - 7;
    labels.replaceChildren();
    const label = (attributes, text) => {
      const e = svgElement("text", attributes);
      e.textContent = text;
      labels.append(e);
    };
    for (const t of Plot.ticks(this.x)) {
      grid += `M${tenth(this.px(t.v))} ${b.top}V${b.bottom}`;
      label({ x: tenth(this.px(t.v)), y: b.bottom + 17 }, t.text);
    }
    for (const t of Plot.ticks(this.y)) {
      grid += `M${b.left} ${tenth(this.py(t.v))}H${b.right}`;
      label({ class: "yt", x: left, y: tenth(this.py(t.v) + 4) }, t.text);
    }
    this.svg.querySelector(".grid").setAttribute("d", grid);
    for (const a of ["x", "y"]) this.svg.dataset[a] = `${this[a].log ? "log" : "lin"} ${this[a].from} ${this[a].to}`;
  }
}

// ---- The note beside the pointer ----

const tip = document.getElementById("tip");

function showTip(content, x, y) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  const right = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(8, Math.min(x + 16, right - width - 8))}px`;
  tip.style.top = `${y - height - 12 < 8 ? y + 18 : y - height - 12}px`;
}

function hideTip() {
  tip.hidden = true;
}

/** All that is known of a run. */
function runNote(r) {
  const curve = curveById.get(curveOfRun.get(r));
  const rows = [
    ["rtol", short(runs.rtol[r])],
    ["mescd, scd", `${two(runs.mescd[r])}, ${two(runs.scd[r])}`],
    ["CPU", duration(runs.cpu[r])],
    ["wall", duration(runs.wall[r])],
    ["steps", `${runs.steps[r]}, accepted ${runs.accepted[r]}`],
    ["f, Jac, LU", `${runs.f[r]}, ${runs.jac[r]}, ${runs.lu[r]}`],
  ];
  const list = element("dl");
  for (const [name, value] of rows) list.append(element("dt", {}, name), element("dd", {}, value));
  const content = [element("strong", {}, `${curve ? curve.label : ""} on ${data.problems[runs.p[r]]}`), list];
  if (!succeeded(r)) content.push(element("p", { class: "why" }, `${outcomeOf(r)}: ${data.messages[runs.message[r]]}`));
  content.push(element("code", {}, runs.command[r]));
  return content;
}

async function copyCommand(r) {
  try {
    await navigator.clipboard.writeText(runs.command[r]);
    tip.append(element("p", { class: "quiet" }, "copied"));
  } catch {
    // Without permission the command can still be read and selected.
  }
}
