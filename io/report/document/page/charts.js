"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const curves = JSON.parse(find("curves").textContent);
  const number = (x) => (Number.isFinite(x) ? x.toFixed(4) : "–");
  const count = (x) => String(Math.round(x * 1e6) / 1e6);
  const percent = (x) => (100 * x).toFixed(1) + "%";
  const element = (name, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text) e.appendChild(element("title")).textContent = text;
    return e;
  };

  // The lines of a curve in a picture: points, with their rows of its table or, if that does not change, a text.
  const rates = (c, [threshold, tp, fp]) => ({ threshold, fpr: fp / c.negatives, tpr: tp / c.positives, recall: tp / c.positives, precision: tp / (tp + fp) });
  const along = (x, y, start) => (c) => {
    const points = c.points.map((p) => rates(c, p)).filter((r) => Number.isFinite(r.precision));
    return [start(points).concat(points.map((r) => [r[x], r[y], [number(r[x]), number(r[y]), r.threshold.toPrecision(4)]]))];
  };
  const kinds = {
    roc: along("fpr", "tpr", () => [[0, 0]]),
    pr: along("recall", "precision", (points) => points.slice(0, 1).map((r) => [0, r.precision])),
    calibration: (c) => [(c.bins || []).map(([x, y, weight]) => [x / 1e4, y / 1e4, [number(x / 1e4), number(y / 1e4), count(weight)]])],
    scores: (c) => c.scores.map((shares, i) => [[0, 0]].concat((shares || []).flatMap((s, j) => [[j / shares.length, s / 1e4], [(j + 0.5) / shares.length, s / 1e4, `${["positives", "negatives"][i]}: ${percent(s / 1e4)}`], [(j + 1) / shares.length, s / 1e4]]), [[1, 0]])),
    // At the thresholds of the points, with that of predicting all examples positive.
    benefit: (c) => {
      const n = c.positives + c.negatives, worth = (t, tp, fp) => (tp - (fp * t) / (1 - t)) / n;
      const points = c.points.filter(([t]) => t > 0 && t < 1).reverse().map(([t, tp, fp]) => [t, worth(t, tp, fp), worth(t, c.positives, c.negatives)]);
      return [points.map((row) => [...row.slice(0, 2), row.map(number)]), points.map(([t, , all]) => [t, all])];
    },
  };
  const meanings = { scores: ": positives solid, negatives dashed; what ends at the upper edge is cut", benefit: ": as predicted solid, all positive dashed; what ends at an edge is cut" };
  const spread = (list, most) => (list.length <= most ? list : [...Array(most).keys()].map((i) => list[Math.floor((i * (list.length - 1)) / (most - 1))]));

  // Draws a curve in place of those in front, or these again if there is none.
  const draw = (g, curve) => {
    const figure = g.closest("figure"), body = figure.querySelector("tbody");
    const [left, bottom, right, top] = g.dataset.area.split(" ").map(Number);
    const least = Number(g.dataset.min || 0), height = g.dataset.max - least;
    const at = ([x, y]) => [(left + x * (right - left)).toFixed(1), (bottom + Math.max(0, Math.min(1, (y - least) / height)) * (top - bottom)).toFixed(1)];
    const caption = figure.querySelector("figcaption"), note = caption.querySelector("small") || caption.appendChild(document.createElement("small"));
    body.was ||= [...body.children];
    note.was ??= note.textContent;
    note.textContent = curve ? curve.name + (meanings[g.dataset.kind] || "") : note.was;
    figure.classList.toggle("choice", !!curve);
    if (!curve) return g.replaceChildren(), body.replaceChildren(...body.was);
    const lines = kinds[g.dataset.kind](curve);
    g.replaceChildren(...lines.map((points, i) => element("path", { class: "s c" + i, "stroke-width": 1.8, "stroke-dasharray": ["none", "6 3"][i], d: "M" + points.map((p) => at(p).join(" ")).join("L") })));
    const columns = [...figure.querySelectorAll("thead th")].slice(1).map((th) => th.textContent);
    const words = (row) => (Array.isArray(row) ? row.map((text, i) => `${columns[i]} ${text}`).join(", ") : row);
    const decided = { roc: ["fpr", "tpr"], pr: ["recall", "precision"] }[g.dataset.kind];
    if (decided) {
      const r = rates(curve, [0, ...curve.decision]), [cx, cy] = at(decided.map((name) => r[name]));
      if (Number.isFinite(r.precision)) g.append(element("circle", { class: "f c0", r: 4.5, cx, cy }, "as decided: " + words(decided.map((name) => number(r[name])))));
    }
    const spots = g.appendChild(element("g", { class: "p" }));
    for (const points of lines) for (const p of points) if (p[2]) spots.append(element("circle", { r: 7, cx: at(p)[0], cy: at(p)[1] }, `${curve.name}: ${words(p[2])}`));
    const cells = (row) => [["th", curve.name], ...row.map((text) => ["td", text])];
    const rows = g.dataset.kind === "scores" ? body.was : spread(lines[0].flatMap((p) => p.slice(2)), 24).map((row) => {
      const tr = document.createElement("tr");
      for (const [tag, text] of cells(row)) {
        const cell = tr.appendChild(document.createElement(tag));
        cell.textContent = text;
        tag === "th" ? (cell.scope = "row") : (cell.className = "n");
      }
      return tr;
    });
    body.replaceChildren(...rows);
  };

  // A field is a list of the curves or, if there are many, takes the name of one.
  const at = (field) => (field.list ? curves.findIndex((curve) => curve.name === field.value) : Number(field.value));
  const put = (field, i) => (field.value = field.list ? (curves[i]?.name ?? "") : i);
  const fill = (field) => curves.forEach((curve, i) => (field.list ? 0 : field.add(new Option(curve.name, i))));
  const choice = find("label");
  const choose = (i) => {
    for (const g of document.querySelectorAll(".chosen")) draw(g, curves[i]);
    if (choice) put(choice, i);
  };
  if (choice) {
    fill(choice);
    choice.parentElement.hidden = false;
    if (choice.list) choice.list.append(...curves.map((curve) => new Option(curve.name)));
  }

  // The slider shows a label, the chosen one if there is one.
  const slider = find("threshold"), label = find("curve");
  const show = () => {
    const curve = curves[at(label)], [threshold, tp, fp] = curve.points[slider.value];
    const fn = curve.positives - tp, tn = curve.negatives - fp;
    const values = {
      at: threshold.toPrecision(4), tp: count(tp), fp: count(fp), fn: count(fn), tn: count(tn),
      precision: number(tp / (tp + fp)), recall: number(tp / (tp + fn)), f1: number((2 * tp) / (2 * tp + fp + fn)),
    };
    for (const id in values) find(id).textContent = values[id];
    slider.setAttribute("aria-valuetext", values.at);
  };
  const slide = (i) => {
    if (!slider) return;
    put(label, i);
    slider.max = curves[i].points.length - 1;
    slider.value = curves[i].start;
    show();
  };
  if (choice) choice.addEventListener("change", () => { const i = at(choice); choose(i); if (i >= 0) slide(i); });
  if (slider) {
    fill(label);
    label.addEventListener("change", () => { const i = at(label); if (i < 0) return; slide(i); if (choice) choose(i); });
    slider.addEventListener("input", show);
    slide(0);
    find("slider").hidden = false;
  }
})();
