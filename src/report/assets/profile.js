// The comparison on the start page: matrix, profiles and ranking among what is chosen.
const comparedDigits = [4, 6, 8];
const colouredCurves = 8; // the others are grey, so that an eye can follow these

class Comparison {
  constructor(figure) {
    this.figure = figure;
    this.legend = figure.querySelector(".legend");
    this.plot = new Plot(figure.querySelector("svg[data-plot=profile]"));
    this.digits = Number(this.plot.svg.dataset.digits);
    this.work = this.plot.svg.dataset.work;
    this.everyColour = false;
    this.tables = [...figure.closest(".page").querySelectorAll("table.ranking")];
    this.own = new Set(figure.dataset.curves.split(" ").map(Number));
    this.addControls();
    this.legend.addEventListener("click", (event) => {
      const b = event.target.closest("button");
      if (b) toggleSolver(Number(b.dataset.s));
    });
    this.legend.addEventListener("pointerover", (event) => this.light(event.target.closest("button")?.dataset.s));
    this.legend.addEventListener("pointerleave", () => this.light(null));
    this.plot.svg.addEventListener("pointermove", (event) => this.hover(event));
    this.plot.svg.addEventListener("pointerleave", () => this.leave());
    follow(figure, () => this.compute());
    if (choiceText() !== "") this.compute(); else this.drawProfile();
  }

  addControls() {
    const bar = element("div", { class: "controls" });
    const group = (name, values, text, get, set) => {
      const span = element("span", { class: "switch", role: "group", "aria-label": name });
      for (const v of values) {
        const b = element("button", { type: "button", "aria-pressed": String(get() === v), "data-value": v }, text(v));
        b.addEventListener("click", () => {
          set(v);
          for (const other of span.children) other.setAttribute("aria-pressed", String(other === b));
          this.drawProfile();
        });
        span.append(b);
      }
      return span;
    };
    const button = (text, action) => {
      const b = element("button", { type: "button" }, text);
      b.addEventListener("click", () => action(b));
      return b;
    };
    bar.append(
      group("Digits", comparedDigits, (d) => `${d} digits`, () => this.digits, (d) => { this.digits = d; }),
      group("Work", ["cpu", "f"], (w) => (w === "cpu" ? "CPU time" : "evaluations of f"), () => this.work, (w) => { this.work = w; }),
      button("all solvers", () => choose(() => choice.solvers.clear())),
      button("none", () => choose(() => { for (const c of data.curves) choice.solvers.add(c.label); })),
      button("colour all", (b) => {
        this.everyColour = !this.everyColour;
        b.setAttribute("aria-pressed", String(this.everyColour));
        this.drawProfile();
      }),
    );
    this.figure.querySelector(".canvas").before(bar);
  }

  /** Those of this page that are chosen. */
  on() {
    return curvesOn().filter((id) => this.own.has(id));
  }

  compute() {
    const on = this.on();
    this.rows = new Map();
    syncLegend(this.legend);
    this.drawProfile();
    for (const table of this.tables) this.fill(table, on);
    if (this.own.size === data.curves.length) showMatrix();
  }

  /** Ratios and ranks among what is chosen. */
  table(kind, digits) {
    const key = `${kind} ${digits}`;
    this.rows ??= new Map();
    if (!this.rows.has(key)) {
      const on = this.on(), rows = ratioTable(on, kind, digits, groupsOn());
      this.rows.set(key, { on, rows, ranks: ranking(rows, on.length) });
    }
    return this.rows.get(key);
  }

  drawProfile() {
    const { plot } = this, { on, rows, ranks } = this.table(this.work, this.digits);
    const title = this.figure.querySelector(".tile-title");
    title.textContent = profileTitle(this.digits, this.work, rows.length);
    plot.svg.setAttribute("aria-label", `Performance profile: ${title.textContent}`);
    const best = on.map((id, k) => ({ id, k })).filter(({ k }) => ranks && ranks[k].score > 0).sort((a, b) => ranks[b.k].score - ranks[a.k].score || a.k - b.k);
    const coloured = new Set((this.everyColour ? best : best.slice(0, colouredCurves)).map(({ id }) => id));
    const ends = [];
    for (const series of plot.svg.querySelectorAll(".series")) {
      const id = Number(series.dataset.s), k = on.indexOf(id);
      const shown = k >= 0 && rows.length > 0;
      series.style.display = shown ? "" : "none";
      if (!shown) continue;
      const ratios = rows.map((row) => row[k]).filter((r) => r !== null && r <= largestRatio).sort((a, b) => a - b);
      let d = `M${tenth(plot.px(1))} ${tenth(plot.py(profileShare(rows, k, 1)))}`;
      for (const r of ratios) d += `H${tenth(plot.px(r))}V${tenth(plot.py(profileShare(rows, k, r)))}`;
      const end = profileShare(rows, k, largestRatio);
      series.querySelector("path").setAttribute("d", `${d}H${tenth(plot.px(largestRatio))}`);
      series.querySelector("use").setAttribute("y", tenth(plot.py(profileShare(rows, k, 1))));
      series.classList.toggle("grey", !coloured.has(id));
      if (coloured.has(id)) { ends.push({ id, y: plot.py(end), text: curveById.get(id).label }); series.parentNode.append(series); } // above the grey ones
    }
    drawEnds(plot, ends);
  }

  fill(table, on) {
    const columns = comparedDigits.map((digits) => {
      const { rows, ranks } = this.table(table.dataset.work, digits);
      return { rows, ranks, digits };
    });
    const groups = groupsOn();
    const body = table.tBodies[0];
    for (const tr of body.rows) {
      const id = Number(tr.dataset.s), k = on.indexOf(id);
      tr.hidden = k < 0;
      columns.forEach(({ ranks, digits }, c) => {
        const cells = [1, 2, 3].map((j) => tr.cells[3 * c + j]);
        for (const cell of cells) { cell.replaceChildren(); delete cell.dataset.v; }
        if (k < 0 || !ranks) return;
        const r = ranks[k];
        cells[0].dataset.v = r.rank;
        cells[0].append(element("b", {}, String(r.rank)), " ", element("span", { class: "quiet" }, `${r.rankLow}–${r.rankHigh}`));
        cells[1].dataset.v = r.score.toFixed(4);
        cells[1].title = `nine of ten draws: ${r.scoreLow.toFixed(2)} to ${r.scoreHigh.toFixed(2)}`;
        const whisker = element("span", { class: "whisker", "aria-hidden": "true" });
        whisker.append(
          element("i", { style: `left:${Math.round(100 * r.scoreLow)}%;width:${Math.round(100 * (r.scoreHigh - r.scoreLow))}%` }),
          element("b", { style: `left:${Math.round(100 * r.score)}%` }),
        );
        cells[1].append(r.score.toFixed(2), whisker);
        cells[2].dataset.v = r.solved;
        cells[2].append(`${r.solved} of ${takenCount(groups, id, digits)}`);
      });
    }
    const middle = (tr) => Number(tr.cells[4].dataset.v ?? 1e9);
    const inOrder = [...body.rows].sort((a, b) => middle(a) - middle(b) || Number(a.dataset.s) - Number(b.dataset.s));
    body.append(...inOrder);
  }

  light(id) {
    for (const s of this.plot.svg.querySelectorAll(".series, .ends text")) s.classList.toggle("lit", id !== null && id !== undefined && s.dataset.s === id);
    this.plot.svg.classList.toggle("choosing", id !== null && id !== undefined);
  }

  /** A line at the ratio below the pointer, and everybody's share there. */
  hover(event) {
    const { plot } = this, p = plot.pointer(event);
    if (!plot.inside(p.x, p.y)) return this.leave();
    const { on, rows } = this.table(this.work, this.digits);
    const tau = plot.xAt(p.x);
    let cross = plot.svg.querySelector(".crosshair");
    if (!cross) plot.svg.append(cross = svgElement("path", { class: "crosshair" }));
    cross.setAttribute("d", `M${tenth(p.x)} ${plot.box.top}V${plot.box.bottom}`);
    const shares = on.map((id, k) => ({ id, share: profileShare(rows, k, tau) })).sort((a, b) => b.share - a.share || a.id - b.id);
    const nearest = shares.reduce((a, b) => (Math.abs(plot.py(b.share) - p.y) < Math.abs(plot.py(a.share) - p.y) ? b : a), shares[0]);
    this.light(nearest && Math.abs(plot.py(nearest.share) - p.y) < 12 ? String(nearest.id) : null);
    const list = element("dl");
    for (const { id, share } of shares.slice(0, 12)) list.append(element("dt", {}, curveById.get(id).label), element("dd", {}, `${(100 * share).toFixed(0)} %`));
    return showTip([element("strong", {}, `within ${tau.toFixed(tau < 10 ? 2 : 0)} times the least work`), list], event.clientX, event.clientY);
  }

  leave() {
    hideTip();
    this.light(null);
    this.plot.svg.querySelector(".crosshair")?.remove();
  }
}

/** Problems whose reference shows so many digits and that the solver takes. */
const takenCount = (groups, id, digits) => groups.filter((g) => takes(g, id) && !(g.limit !== null && g.limit < digits)).length;

const profileTitle = (digits, work, problems) => `${digits} digits, ${work === "cpu" ? "CPU time" : "evaluations of f"} · ${problems} problem${problems === 1 ? "" : "s"}`;

function toggleSolver(id) {
  const { label } = curveById.get(id);
  choose(() => { if (!choice.solvers.delete(label)) choice.solvers.add(label); });
}

function syncLegend(legend) {
  for (const b of legend.querySelectorAll("button[data-s]")) {
    const curve = curveById.get(Number(b.dataset.s));
    b.setAttribute("aria-pressed", String(isOn(curve)));
    b.disabled = choice.families.has(curve.family);
  }
}

/** Names at the ends of lines: each beside its end, moved apart where they would lie on each other. */
function drawEnds(plot, ends) {
  let place = plot.svg.querySelector(".ends");
  if (!place) plot.svg.append(place = svgElement("g", { class: "ends" }));
  place.replaceChildren();
  const gap = 1.13 * parseFloat(getComputedStyle(plot.svg.querySelector(".ticks text") ?? plot.svg).fontSize), { top, bottom, right } = plot.box; // of the style sheet: larger on a phone
  const sorted = ends.map((e) => ({ ...e })).sort((a, b) => a.y - b.y || a.id - b.id);
  const step = Math.min(gap, (bottom - top) / Math.max(1, sorted.length));
  // Names that would touch form a block, which stands around the middle of their ends.
  const blocks = [];
  for (const e of sorted) {
    let block = { names: [e], sum: e.y };
    const first = (b) => Math.min(Math.max(b.sum / b.names.length - (step * (b.names.length - 1)) / 2, top), bottom - step * (b.names.length - 1));
    while (blocks.length > 0 && first(block) < first(blocks[blocks.length - 1]) + step * blocks[blocks.length - 1].names.length) {
      const above = blocks.pop();
      block = { names: [...above.names, ...block.names], sum: above.sum + block.sum };
    }
    block.names.forEach((name, k) => { name.at = first(block) + k * step; });
    blocks.push(block);
  }
  for (const e of sorted) {
    const { classes } = curveById.get(e.id);
    const from = e.x ?? right;
    place.append(svgElement("path", { class: `lead ${classes}`, d: `M${tenth(from)} ${tenth(e.y)}L${right + 8} ${tenth(e.at)}` }));
    const t = svgElement("text", { class: classes, x: right + 11, y: tenth(e.at + 4), "data-s": e.id });
    t.textContent = e.text;
    place.append(t);
  }
}

/** Rows of the problems and columns of the solvers that are chosen. */
function showMatrix() {
  const table = document.querySelector("table.matrix");
  if (!table) return;
  const names = new Set(groupsOn().map((g) => g.problem));
  for (const row of table.tBodies[0].rows) row.hidden = !names.has(row.dataset.problem);
  const on = new Set(curvesOn());
  for (const head of table.tHead.querySelectorAll("th[data-s]")) {
    const hide = !on.has(Number(head.dataset.s)), k = head.cellIndex;
    for (const row of table.rows) row.cells[k].hidden = hide;
  }
}
