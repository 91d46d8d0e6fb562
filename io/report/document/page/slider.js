"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const curves = JSON.parse(find("curves").textContent);
  const choice = find("curve"), slider = find("threshold");
  const ratio = (a, b) => (b > 0 ? (a / b).toFixed(4) : "–");
  const count = (x) => String(Math.round(x * 1e6) / 1e6);
  curves.forEach((curve, i) => choice.add(new Option(curve.name, i)));
  const show = () => {
    const curve = curves[choice.value], [threshold, tp, fp] = curve.points[slider.value];
    const fn = curve.positives - tp, tn = curve.negatives - fp;
    const values = {
      at: threshold.toPrecision(4), tp: count(tp), fp: count(fp), fn: count(fn), tn: count(tn),
      precision: ratio(tp, tp + fp), recall: ratio(tp, tp + fn), f1: ratio(2 * tp, 2 * tp + fp + fn),
    };
    for (const id in values) find(id).textContent = values[id];
    slider.setAttribute("aria-valuetext", values.at);
  };
  const choose = () => {
    slider.max = curves[choice.value].points.length - 1;
    slider.value = curves[choice.value].start;
    show();
  };
  choice.addEventListener("change", choose);
  slider.addEventListener("input", show);
  choice.value = 0;
  choose();
  find("slider").hidden = false;
})();
