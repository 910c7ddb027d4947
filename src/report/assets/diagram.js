/** The points that no other one of their curve beats in both digits and work, with rising digits; null breaks the line where a run in between has no
    place. The program has the same rule (front_of). */
function frontOf(points) {
  const order = points.map((_, k) => k).filter((k) => points[k] !== null).sort((a, b) => points[b].d - points[a].d || points[a].w - points[b].w || a - b);
  const front = [];
  for (const k of order) if (front.length === 0 || points[k].w < points[front[0]].w) front.unshift(k);
  return front.flatMap((k, i) => {
    if (i === 0) return [points[k]];
    const [first, last] = [Math.min(k, front[i - 1]), Math.max(k, front[i - 1])];
    return points.slice(first + 1, last).includes(null) ? [null, points[k]] : [points[k]];
  });
}

// Work-precision diagrams: other axes, solvers on and off, zoom, and what is behind each point.
class Diagram extends Plot {
  constructor(svg) {
    super(svg);
    this.figure = svg.closest("figure");
    this.group = data.groups[Number(this.figure.dataset.k)];
    this.work = svg.dataset.work;
    this.precision = svg.dataset.precision;
    for (const title of svg.querySelectorAll("title")) title.remove();
    this.addControls();
    this.listen();
    this.sync();
    follow(svg, () => this.sync());
  }

  addControls() {
    const choice = (name, options, chosen, change) => {
      const select = element("select", { "aria-label": name });
      for (const [value, text] of options) select.append(element("option", value === chosen ? { value, selected: "" } : { value }, text));
      select.addEventListener("change", () => change(select.value));
      return select;
    };
    const precisions = Object.entries(precisionNames).filter(([kind]) => this.group.curves.some((c) => c.runs.some((r) => digitsOf(r, kind) !== null)));
    const button = (text, name, action) => {
      const b = element("button", { type: "button", "aria-label": name, title: name }, text);
      b.addEventListener("click", action);
      return b;
    };
    const bar = element("div", { class: "controls" });
    bar.append(
      choice("Work", Object.entries(workNames), this.work, (v) => { this.work = v; this.reset(); }),
      element("span", {}, "against"),
      choice("Precision", precisions, this.precision, (v) => { this.precision = v; this.reset(); }),
      button("+", "Zoom in", () => this.zoom(0.6)), button("−", "Zoom out", () => this.zoom(1 / 0.6)), button("⟲", "Show everything", () => this.reset()),
      button("all", "Show all solvers", () => this.showAll(true)), button("none", "Hide all solvers", () => this.showAll(false)),
    );
    this.figure.querySelector(".canvas").before(bar);
  }

  listen() {
    const svg = this.svg;
    this.figure.querySelector(".legend").addEventListener("click", (event) => {
      const b = event.target.closest("button");
      if (b) toggleSolver(Number(b.dataset.s));
    });
    svg.addEventListener("pointermove", (event) => this.hover(event));
    svg.addEventListener("pointerleave", () => { if (!this.drag) this.select(null); });
    svg.addEventListener("pointerdown", (event) => this.startDrag(event));
    svg.addEventListener("pointerup", (event) => this.endDrag(event));
    svg.addEventListener("dblclick", () => this.reset());
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("blur", () => this.select(null));
  }

  /** Shows the solvers that are chosen. */
  sync() {
    syncLegend(this.figure.querySelector(".legend"));
    for (const series of this.svg.querySelectorAll(".series, .estimate")) series.style.display = isOn(curveById.get(Number(series.dataset.s))) ? "" : "none";
    this.drawEnds();
  }

  showAll(show) {
    choose(() => {
      for (const c of this.group.curves) {
        const { label } = curveById.get(c.id);
        if (show) choice.solvers.delete(label); else choice.solvers.add(label);
      }
    });
  }

  /** The name of each curve beside its last point, where the most digits are. */
  drawEnds() {
    const ends = [];
    for (const c of this.group.curves) {
      if (!isOn(curveById.get(c.id))) continue;
      const last = (points) => frontOf(points).filter((p) => p !== null).map((p) => ({ x: this.px(p.d), y: this.py(p.w) })).filter((p) => this.inside(p.x, p.y)).pop();
      const at = last(this.points(c));
      if (at) ends.push({ id: c.id, x: at.x + 5, y: at.y, text: curveById.get(c.id).label });
      const estimated = last(this.estimate(c));
      if (estimated) ends.push({ id: c.id, ...estimated, text: `${curveById.get(c.id).label}, 4 CPUs, estimated` });
    }
    drawEnds(this, ends);
    this.drawFailureNames();
  }

  /** Digits and work of the runs of a curve; null where one has no place. */
  points(c) {
    const limit = this.limit();
    return c.runs.map((r) => {
      const w = workOf(r, this.work), d = digitsOf(r, this.precision);
      if (!succeeded(r) || w === null || d === null) return null;
      const beyond = limit !== null && d > limit;
      return { r, d: beyond ? limit : d, w, beyond };
    });
  }

  /** A line through points; null breaks it. */
  path(points) {
    let path = "", down = false;
    for (const p of points) {
      if (p !== null) path += `${down ? "L" : "M"}${tenth(this.px(p.d))} ${tenth(this.py(p.w))}`;
      down = p !== null;
    }
    return path;
  }

  /** What the runs of a curve would take if each of the systems that the method treats side by side had a processor; empty: nothing to estimate. */
  estimate(c) {
    if (!c.shares || !["cpu", "wall"].includes(this.work)) return [];
    return this.points(c).map((p, k) => (p === null || c.shares[k] === null ? null : { ...p, w: p.w * c.shares[k] }));
  }

  limit() {
    const text = this.figure.getAttribute(`data-limit-${this.precision}`);
    return text === null ? null : Number(text);
  }

  /** Axes that show all runs, by the rules of the program. */
  everything() {
    let low = Infinity, high = -Infinity, least = Infinity, most = -Infinity;
    const limit = this.limit();
    for (const c of this.group.curves)
      for (const p of this.points(c)) {
        if (p === null) continue;
        least = Math.min(least, p.w);
        most = Math.max(most, p.w);
        low = Math.min(low, p.d);
        high = Math.max(high, p.d);
      }
    for (const c of this.group.curves)
      for (const p of this.estimate(c)) if (p !== null) least = Math.min(least, p.w);
    if (!(low <= high)) { low = 0; high = 10; }
    if (!(least <= most)) { least = 1; most = 10; }
    let to = Math.ceil(high + 0.05);
    if (limit !== null && limit <= to) to = Math.max(to, Math.ceil(limit + 0.4));
    return { x: { log: false, from: Math.floor(low - 0.05), to }, y: Plot.roundLog(least, most) };
  }

  reset() {
    Object.assign(this, this.everything());
    this.draw();
  }

  zoom(factor) {
    const cx = (this.box.left + this.box.right) / 2, cy = (this.box.top + this.box.bottom) / 2;
    const half = { x: ((this.box.right - this.box.left) / 2) * factor, y: ((this.box.bottom - this.box.top) / 2) * factor };
    this.show(cx - half.x, cy - half.y, cx + half.x, cy + half.y);
  }

  /** Makes a rectangle of the picture the whole picture. */
  show(left, top, right, bottom) {
    const x = { log: false, from: this.xAt(left), to: this.xAt(right) };
    const y = { log: true, from: this.yAt(bottom), to: this.yAt(top) };
    this.x = x;
    this.y = y;
    this.draw();
  }

  draw() {
    this.select(null);
    this.drawAxes();
    this.svg.querySelector(".title.xt").textContent = precisionNames[this.precision];
    this.svg.querySelector(".title.ytt").textContent = workNames[this.work];
    const limit = this.limit();
    const zone = this.svg.querySelector(".zone"), line = this.svg.querySelector(".limit");
    if (zone) {
      const left = limit === null ? this.box.right : Math.min(Math.max(this.px(limit), this.box.left), this.box.right);
      zone.setAttribute("x", left);
      zone.setAttribute("width", Math.max(0, this.box.right - left));
      line?.setAttribute("d", limit !== null && left > this.box.left && left < this.box.right ? `M${left} ${this.box.top}V${this.box.bottom}` : "");
    }
    const gutter = this.failureX();
    for (const c of this.group.curves) {
      const series = this.svg.querySelector(`.series[data-s="${c.id}"]`);
      const shape = curveById.get(c.id).shape;
      series.replaceChildren();
      const points = this.points(c), front = frontOf(points), marks = [];
      for (const [k, r] of c.runs.entries()) {
        const p = points[k];
        if (!succeeded(r)) {
          const w = workOf(r, this.work);
          const y = w === null ? this.box.bottom - 6 : Math.min(Math.max(this.py(w), this.box.top + 6), this.box.bottom - 6);
          marks.push(svgElement("use", { href: outcomeOf(r) === "wrong_answer" ? "#ml" : "#mx", x: tenth(gutter), y: tenth(y), class: "fail", "data-r": r }));
          continue;
        }
        if (p === null) continue;
        const x = this.px(p.d), y = this.py(p.w);
        const kinds = [p.beyond ? "beyond" : "", front.includes(p) ? "" : "off"].filter(Boolean).join(" ");
        if (this.inside(x, y)) marks.push(svgElement("use", { href: `#m${shape}`, x: tenth(x), y: tenth(y), "data-r": r, ...(kinds ? { class: kinds } : {}) }));
      }
      const curve = svgElement("path", { class: "line", d: this.path(front) });
      curve.setAttribute("clip-path", `url(#${this.clip()})`);
      series.append(curve, ...marks);
    }
    for (const place of this.svg.querySelectorAll(".estimate")) {
      const line = place.querySelector("path");
      line.setAttribute("d", this.path(frontOf(this.estimate(this.group.curves.find((c) => c.id === Number(place.dataset.s))))));
      line.setAttribute("clip-path", `url(#${this.clip()})`);
    }
    this.drawEnds();
  }

  /** Where failed runs stand: in the band at the left. */
  failureX() {
    return Number(this.svg.querySelector(".gutter").getAttribute("x")) + 10;
  }

  /** The names of solvers beside their failed runs, where they do not lie on each other. */
  drawFailureNames() {
    let place = this.svg.querySelector(".fails");
    if (!place) this.svg.append(place = svgElement("g", { class: "fails" }));
    place.replaceChildren();
    const marks = this.marks().filter((m) => m.classList.contains("fail")).map((m) => ({ y: Number(m.getAttribute("y")), series: m.parentNode }));
    marks.sort((a, b) => a.y - b.y);
    let last = -Infinity, names = [], at = null;
    const write = () => {
      if (at === null) return;
      const t = svgElement("text", { class: at.series.getAttribute("class").replace("series", ""), x: this.failureX() + 9, y: tenth(at.y + 3.5) });
      const full = names.length > 1 ? `${names[0]} +${names.length - 1}` : names[0];
      t.textContent = full.length > 14 ? `${full.slice(0, 13)}…` : full;
      place.append(t);
    };
    for (const m of marks) {
      const name = curveById.get(Number(m.series.dataset.s)).label;
      if (m.y - last < 11) { if (!names.includes(name)) names.push(name); continue; }
      write();
      [last, names, at] = [m.y, [name], m];
    }
    write();
  }

  clip() {
    if (!this.clipId) {
      this.clipId = `clip-${this.figure.dataset.k}`;
      const b = this.box;
      const clip = svgElement("clipPath", { id: this.clipId });
      clip.append(svgElement("rect", { x: b.left, y: b.top, width: b.right - b.left, height: b.bottom - b.top }));
      this.svg.prepend(clip);
    }
    return this.clipId;
  }

  marks() {
    return [...this.svg.querySelectorAll("use[data-r]")].filter((m) => m.parentNode.style.display !== "none");
  }

  hover(event) {
    const p = this.pointer(event);
    if (this.drag) {
      this.stretch(p);
      return;
    }
    let nearest = null, least = 14;
    for (const m of this.marks()) {
      const distance = Math.hypot(Number(m.getAttribute("x")) - p.x, Number(m.getAttribute("y")) - p.y);
      if (distance < least) { least = distance; nearest = m; }
    }
    this.select(nearest);
  }

  select(mark) {
    if (mark === this.selected) return;
    this.selected?.classList.remove("selected");
    this.svg.querySelector(".series.lit")?.classList.remove("lit");
    this.selected = mark;
    this.svg.classList.toggle("choosing", Boolean(mark));
    if (!mark) {
      hideTip();
      return;
    }
    mark.classList.add("selected");
    mark.parentNode.classList.add("lit");
    const at = mark.getBoundingClientRect();
    showTip(runNote(Number(mark.dataset.r)), at.left + at.width / 2, at.top + at.height / 2);
  }

  startDrag(event) {
    if (event.button !== 0 || event.pointerType === "touch") {
      this.hover(event);
      return;
    }
    const p = this.pointer(event);
    if (this.selected) copyCommand(Number(this.selected.dataset.r));
    if (!this.inside(p.x, p.y)) return;
    this.drag = { from: p, rect: svgElement("rect", { class: "rubber" }) };
    this.svg.append(this.drag.rect);
    this.svg.setPointerCapture(event.pointerId);
  }

  stretch(p) {
    const { from, rect } = this.drag, b = this.box;
    const x = Math.min(Math.max(p.x, b.left), b.right), y = Math.min(Math.max(p.y, b.top), b.bottom);
    Object.assign(this.drag, { left: Math.min(from.x, x), right: Math.max(from.x, x), top: Math.min(from.y, y), bottom: Math.max(from.y, y) });
    rect.setAttribute("x", this.drag.left);
    rect.setAttribute("y", this.drag.top);
    rect.setAttribute("width", this.drag.right - this.drag.left);
    rect.setAttribute("height", this.drag.bottom - this.drag.top);
  }

  endDrag() {
    if (!this.drag) return;
    const { rect, left, top, right, bottom } = this.drag;
    rect.remove();
    this.drag = null;
    if (right - left > 8 && bottom - top > 8) this.show(left, top, right, bottom);
  }

  key(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    const jumps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key === "+" || event.key === "=") this.zoom(0.6);
    else if (event.key === "-") this.zoom(1 / 0.6);
    else if (event.key === "0") this.reset();
    else if (event.key === "Escape") this.select(null);
    else if (event.key === "Enter" && this.selected) copyCommand(Number(this.selected.dataset.r));
    else if (event.key in steps || event.key in jumps) this.move(steps[event.key] ?? 0, jumps[event.key] ?? 0);
    else return;
    event.preventDefault();
  }

  /** From run to run, and from curve to curve. */
  move(step, jump) {
    const groups = [...this.svg.querySelectorAll(".series")].filter((g) => g.style.display !== "none" && g.querySelector("use"));
    if (groups.length === 0) return;
    let k = this.selected ? groups.indexOf(this.selected.parentNode) : -1;
    let at = this.selected ? [...this.selected.parentNode.querySelectorAll("use")].indexOf(this.selected) : -1;
    if (k < 0) { k = 0; at = 0; } else { k = (k + jump + groups.length) % groups.length; at += step; }
    const marks = groups[k].querySelectorAll("use");
    this.select(marks[Math.min(Math.max(at, 0), marks.length - 1)]);
  }
}

/** Other plots whose points are runs: the note only. */
function listenForNotes(svg) {
  const marks = [...svg.querySelectorAll("use[data-r]")];
  for (const title of svg.querySelectorAll("use title")) title.remove();
  let at = -1;
  const show = (k) => {
    marks[at]?.classList.remove("selected");
    at = k;
    if (k < 0) return hideTip();
    marks[k].classList.add("selected");
    const box = marks[k].getBoundingClientRect();
    return showTip(runNote(Number(marks[k].dataset.r)), box.left + box.width / 2, box.top + box.height / 2);
  };
  svg.addEventListener("pointermove", (event) => show(marks.indexOf(event.target.closest("use[data-r]"))));
  svg.addEventListener("pointerleave", () => show(-1));
  svg.addEventListener("blur", () => show(-1));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    show((at + step + marks.length) % marks.length);
    event.preventDefault();
  });
}
