"use strict";
(() => {
  const texts = new Intl.Collator("en", { numeric: true });
  const text = (row, column) => row.cells[column].textContent.trim();
  const number = (row, column) => parseFloat(text(row, column).replace(/[,[]/g, "").replace("−", "-")); // NaN if missing
  const compareNumbers = (a, b, sign) => (isNaN(a) || isNaN(b) ? isNaN(a) - isNaN(b) : sign * (a - b));
  const compareTexts = (a, b, sign) => (a && b ? sign * texts.compare(a, b) : !a - !b);
  for (const table of document.querySelectorAll("main table")) {
    const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
    if (rows.length < 2 || table.closest("#slider")) continue;
    heads.forEach((head, column) => {
      const button = document.createElement("button"), numeric = head.classList.contains("n");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const order = { ascending: "descending", descending: "" }[head.ariaSort] ?? "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        const sorted = [...rows], sign = order === "descending" ? -1 : 1;
        if (order) {
          head.setAttribute("aria-sort", order);
          const [of, compare] = numeric ? [number, compareNumbers] : [text, compareTexts];
          sorted.sort((a, b) => compare(of(a, column), of(b, column), sign));
        }
        body.append(...sorted);
      });
    });
  }
})();
