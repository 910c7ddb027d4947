// Tables that sort by the head of a column, and say that they go on where the page is too narrow for them.
function sortKey(cell) {
  const text = (cell.dataset.v ?? cell.textContent).trim();
  if (text === "" || cell.classList.contains("refused") || cell.classList.contains("empty")) return null;
  const number = Number(text.replace(/[\u202f\s]/g, "").replace("−", "-"));
  return Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

function makeSortable(table) {
  const heads = [...table.tHead.querySelectorAll("th[scope=col]")];
  heads.forEach((head, column) => {
    const link = head.querySelector("a");
    const button = element("button", { type: "button", class: "sort" });
    if (link) {
      button.setAttribute("aria-label", `Sort by ${link.textContent}`);
      head.append(button);
    } else {
      button.append(...head.childNodes);
      head.append(button);
    }
    button.addEventListener("click", () => {
      const first = table.classList.contains("matrix") && column > 0 ? "descending" : "ascending"; // most digits first
      const falling = head.hasAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : first === "descending";
      for (const h of heads) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const body = table.tBodies[0];
      body.querySelectorAll("tr.command").forEach((line) => line.remove());
      const rows = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[column]) }));
      // Empty cells stay at the end in both directions.
      rows.sort((a, b) => (a.key === null || b.key === null ? compare(a.key, b.key) : falling ? compare(b.key, a.key) : compare(a.key, b.key)));
      body.append(...rows.map((r) => r.row));
    });
  });
}

/** A click on a row of runs shows the command that repeats the run. */
function listenForCommands(table) {
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-r]");
    if (!row || event.target.closest("a")) return;
    const next = row.nextElementSibling;
    if (next?.classList.contains("command")) return next.remove();
    const r = Number(row.dataset.r);
    const copy = element("button", { type: "button" }, "copy");
    copy.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(runs.command[r]); copy.textContent = "copied"; } catch { copy.textContent = "select it"; }
    });
    const cell = element("td", { colspan: row.cells.length }, element("code", {}, runs.command[r]), " ", copy);
    const line = element("tr", { class: "command" });
    line.append(cell);
    return row.after(line);
  });
}

// ---- All runs of a problem: they are many, so their rows are made when somebody asks for them ----

/** How a value compares with the best at the same tolerance: h0 the best, then up to 2, 5, 20 times, more. */
const heat = (value, best) => (value <= best ? "h0" : value <= 2 * best ? "h1" : value <= 5 * best ? "h2" : value <= 20 * best ? "h3" : "h4");

/** The columns in the order of the program (src/report/book/tables.cpp): what is shown, what it sorts by, and whether it is compared with the best. */
const runColumns = [
  { show: (r) => [curveById.get(curveOfRun.get(r)).label] },
  { show: (r) => [...tolerance(runs.rtol[r]), runs.marks[r] & 1 ? "*" : ""], key: (r) => runs.rtol[r] },
  { show: (r) => (runs.atol[r] === null ? [runs.marks[r] & 2 ? "*" : ""] : tolerance(runs.atol[r])), key: (r) => runs.atol[r] },
  { show: (r) => (runs.h0[r] === null ? [] : tolerance(runs.h0[r])), key: (r) => runs.h0[r] },
  ...["mescd", "scd"].map((name) => ({ show: (r) => (runs[name][r] === null ? [] : [two(runs[name][r])]), key: (r) => runs[name][r] })),
  { show: (r) => [wholeNumber(runs.steps[r])], best: (r) => runs.steps[r] },
  { show: (r) => [wholeNumber(runs.accepted[r])] },
  { show: (r) => [wholeNumber(runs.f[r])], best: (r) => runs.f[r] },
  ...["jac", "lu"].map((name) => ({ show: (r) => [wholeNumber(runs[name][r])] })),
  { show: (r) => (runs.cpu[r] === null ? [] : [duration(runs.cpu[r]), runs.marks[r] & 4 ? "?" : ""]), key: (r) => runs.cpu[r], best: (r) => runs.cpu[r] },
  { show: (r) => [succeeded(r) ? "" : outcomeOf(r)] },
];

function fillAllRuns(table, group) {
  const minor = [...table.tHead.rows[0].cells].map((head) => head.classList.contains("minor"));
  const best = runColumns.map(() => new Map());
  for (const { runs: own } of group.curves)
    for (const r of own)
      runColumns.forEach((c, k) => {
        const v = c.best && succeeded(r) ? c.best(r) : null;
        if (v > 0) best[k].set(runs.rtol[r], Math.min(v, best[k].get(runs.rtol[r]) ?? Infinity));
      });
  for (const { runs: own } of group.curves)
    own.forEach((r, place) => {
      const row = element("tr", { "data-r": r, class: [succeeded(r) ? "" : "failed", place === 0 ? "first" : ""].join(" ").trim() });
      runColumns.forEach((c, k) => {
        const cell = element(k === 0 ? "th" : "td", k === 0 ? { scope: "row" } : {}, ...c.show(r));
        if (minor[k]) cell.classList.add("minor");
        if (k === runColumns.length - 1) cell.classList.add("outcome");
        if (c.key && c.key(r) !== null) cell.dataset.v = Number(c.key(r).toPrecision(6));
        if (c.best && succeeded(r) && c.best(r) > 0) cell.classList.add(heat(c.best(r), best[k].get(runs.rtol[r])));
        row.append(cell);
      });
      table.tBodies[0].append(row);
    });
}

function fillWhenOpened(details) {
  const table = details.querySelector("table.runs");
  details.addEventListener("toggle", () => { if (details.open && table.tBodies[0].rows.length === 0) fillAllRuns(table, data.groups[Number(details.dataset.k)]); });
}

function markWhatIsHidden(scroller) {
  const mark = () => {
    const hidden = scroller.scrollWidth - scroller.clientWidth;
    scroller.classList.toggle("more-left", scroller.scrollLeft > 1);
    scroller.classList.toggle("more-right", scroller.scrollLeft < hidden - 1);
    if (hidden > 1) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
  };
  scroller.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(scroller);
}
