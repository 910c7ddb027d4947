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
