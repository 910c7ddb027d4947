// The comparison on the start page: profiles and ranking among the solvers that are switched on.
const comparedDigits = [4, 6, 8];

class Comparison {
  constructor(root) {
    this.root = root;
    this.legend = root.parentNode.querySelector(".legend");
    this.plots = [...root.querySelectorAll("svg[data-plot=profile]")].map((svg) => new Plot(svg));
    this.tables = [...document.querySelectorAll("table.ranking")];
    this.ids = data.curves.map((c) => c.id);
    this.rows = new Map();
    this.legend.addEventListener("click", (event) => {
      const b = event.target.closest("button");
      if (!b) return;
      b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
      this.compute();
    });
    for (const plot of this.plots) {
      plot.svg.addEventListener("pointermove", (event) => this.hover(plot, event));
      plot.svg.addEventListener("pointerleave", hideTip);
    }
  }

  on() {
    return [...this.legend.querySelectorAll("button[aria-pressed=true]")].map((b) => Number(b.dataset.s));
  }

  table(kind, digits) {
    const key = `${kind} ${digits} ${this.on().join()}`;
    if (!this.rows.has(key)) this.rows.set(key, ratioTable(this.on(), kind, digits));
    return this.rows.get(key);
  }

  compute() {
    const on = this.on();
    for (const plot of this.plots) this.draw(plot, on);
    for (const table of this.tables) this.fill(table, on);
  }

  draw(plot, on) {
    const rows = this.table(plot.svg.dataset.work, Number(plot.svg.dataset.digits));
    plot.svg.parentNode.querySelector(".tile-title .quiet").textContent = `· ${rows.length} problems`;
    for (const series of plot.svg.querySelectorAll(".series")) {
      const k = on.indexOf(Number(series.dataset.s));
      series.style.display = k < 0 ? "none" : "";
      if (k < 0) continue;
      const ratios = rows.map((row) => row[k]).filter((r) => r !== null && r <= largestRatio).sort((a, b) => a - b);
      let d = `M${tenth(plot.px(1))} ${tenth(plot.py(profileShare(rows, k, 1)))}`;
      for (const r of ratios) d += `H${tenth(plot.px(r))}V${tenth(plot.py(profileShare(rows, k, r)))}`;
      series.querySelector("path").setAttribute("d", `${d}H${tenth(plot.px(largestRatio))}`);
      series.querySelector("use").setAttribute("y", tenth(plot.py(profileShare(rows, k, 1))));
    }
  }

  fill(table, on) {
    const columns = comparedDigits.map((digits) => {
      const rows = this.table(table.dataset.work, digits);
      return { rows: rows.length, ranks: ranking(rows, on.length) };
    });
    const body = table.tBodies[0];
    for (const tr of body.rows) {
      const k = on.indexOf(Number(tr.dataset.s));
      tr.hidden = k < 0;
      columns.forEach(({ rows, ranks }, c) => {
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
        cells[2].append(`${r.solved}/${rows}`);
      });
    }
    const middle = (tr) => Number(tr.cells[4].dataset.v ?? 1e9);
    const inOrder = [...body.rows].sort((a, b) => middle(a) - middle(b) || Number(a.dataset.s) - Number(b.dataset.s));
    body.append(...inOrder);
  }

  hover(plot, event) {
    const p = plot.pointer(event);
    if (!plot.inside(p.x, p.y)) return hideTip();
    const on = this.on(), tau = plot.xAt(p.x);
    const rows = this.table(plot.svg.dataset.work, Number(plot.svg.dataset.digits));
    const shares = on.map((id, k) => ({ id, share: profileShare(rows, k, tau) })).sort((a, b) => b.share - a.share || a.id - b.id);
    const list = element("dl");
    for (const { id, share } of shares.slice(0, 12)) list.append(element("dt", {}, curveById.get(id).label), element("dd", {}, `${(100 * share).toFixed(0)} %`));
    return showTip([element("strong", {}, `within ${tau.toFixed(tau < 10 ? 2 : 0)} times the least work`), list], event.clientX, event.clientY);
  }
}
