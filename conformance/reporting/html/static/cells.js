// The cells of a large matrix, from the data in matrix-data.js. They are as the template makes them.
"use strict";
(() => {
  const { cells, rows } = window.conformanceMatrix;
  const grid = document.getElementById("grid");
  const heads = [...grid.tHead.rows[0].cells].slice(1);
  const aspects = [...document.getElementById("aspect").options].slice(1).map((option) => option.value);
  const gravest = "VXTEMURDC";

  function element(tag, text, className) {
    const part = document.createElement(tag);
    part.textContent = text;
    if (className) part.className = className;
    return part;
  }

  // a cell without its link's anchor; every cell of this kind is a copy
  const kinds = cells.map(([words, symbol, points, grade, diverges, letters, readings, dtypes]) => {
    const cell = document.createElement("td"), link = document.createElement("a");
    cell.className = `v-${words.replaceAll(" ", "-")}${grade ? ` ${grade}` : ""}`;
    for (const [name, value] of Object.entries({ a: letters, r: readings, d: dtypes })) if (value) cell.dataset[name] = value;
    link.append(element("i", symbol), element("span", `${words}${diverges ? ", another reading" : ""} `, "unseen"), element("span", points));
    if (diverges) {
      const mark = element("sup", "≈");
      mark.ariaHidden = "true";
      link.append(mark);
    }
    cell.append(link);
    const worst = [...gravest].find((letter) => letters.includes(letter));
    return { cell, aspect: worst ? aspects[letters.indexOf(worst)].replaceAll(" ", "-") : "" };
  });

  // the cells of hidden targets are empty until somebody looks at them
  window.conformanceFill = (cell) => {
    cell.append(...kinds[cell.dataset.k].cell.cloneNode(true).childNodes);
    delete cell.dataset.w;
    delete cell.dataset.k;
  };

  const numbers = (text) => text.split(",").flatMap((part) => {
    const [number, times] = part.split("x").map(Number);
    return Array(times || 1).fill(number);
  });

  const lines = [...grid.tBodies].flatMap((body) => [...body.rows].slice(1));
  lines.forEach((row, y) => {
    const place = row.cells[0].querySelector("a").getAttribute("href");
    const made = numbers(rows[y]).map((number, x) => {
      const { cell, aspect } = kinds[number], { hidden } = heads[x], copy = cell.cloneNode(!hidden);
      if (hidden) {
        Object.assign(copy, { hidden }).dataset.w = cells[number][0];
        copy.dataset.k = number;
        return copy;
      }
      copy.firstElementChild.setAttribute("href", aspect ? `${place}#at-${aspect}-${heads[x].dataset.key}` : place);
      return copy;
    });
    row.append(...made);
  });
})();
