// The table of accuracy is sorted by the column whose head is pressed.
"use strict";
(() => {
  const table = document.getElementById("accuracy");
  if (!table) return;
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const name = (row) => row.cells[0].textContent.trim();
  const value = (row, i) => Number(row.cells[i].dataset.v ?? -1);

  function sort(index) {
    const head = heads[index], rows = [...body.rows];
    const byName = index === 0;
    const direction = head.getAttribute("aria-sort") === (byName ? "ascending" : "descending") ? -1 : 1;
    rows.sort((a, b) => direction * (byName
      ? name(a).localeCompare(name(b), "en")
      : value(b, index) - value(a, index)) || name(a).localeCompare(name(b), "en"));
    body.append(...rows);
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", (direction === 1) === byName ? "ascending" : "descending");
  }

  heads.forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorter";
    button.textContent = "↕";
    button.setAttribute("aria-label", `Sort by ${head.textContent.trim()}`);
    button.addEventListener("click", () => sort(index));
    head.append(" ", button);
  });
})();
