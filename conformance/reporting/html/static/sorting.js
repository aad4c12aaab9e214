// The order of the matrix's rows and columns.
"use strict";
window.conformanceSorting = (grid, bodies, heads) => {
  const extra = document.createElement("tbody");
  extra.hidden = true;
  grid.append(extra);
  const every = bodies.flatMap((one) => one.rows);
  const list = document.getElementById("score-list");
  const entries = new Map([...list.children].map((entry) => [entry.dataset.key, entry]));
  const label = (head) => head.querySelector("a").textContent;
  let order = heads.map((_, i) => i), rows = "";

  // cells whose verdict or readings are not those of most targets
  function disagreement(cells, aspect, takes) {
    let count = 0;
    const length = Math.max(0, ...cells.map((c) => c.letters.length));
    for (let j = 0; j < length; j += 1) {
      if (aspect >= 0 && j !== aspect) continue;
      const said = cells.filter((c) => c.letters && c.letters[j] !== ".").map((c) => `${c.letters[j]} ${takes(c, j)}`);
      const counts = new Map();
      for (const one of said) counts.set(one, (counts.get(one) || 0) + 1);
      count += said.length - Math.max(0, ...counts.values());
    }
    return count;
  }

  // what a row is sorted by, and how that is told; shares of nothing come last
  function measure(how, cells, aspect, { score, takes }) {
    if (how === "score") {
      const [kept, , demanded] = score(cells, aspect);
      return demanded ? [kept / demanded, `${kept} of ${demanded}`] : [2, ""];
    }
    if (how !== "disagreement") return [0, ""];
    const unlike = disagreement(cells, aspect, takes);
    return [-unlike, `${unlike} unlike most`];
  }

  function tell(row, words) {
    let place = row.cells[0].querySelector(".measure");
    if (!words) return place?.remove();
    if (!place) {
      place = document.createElement("small");
      place.className = "measure light";
      row.cells[0].append(place);
    }
    place.textContent = words;
  }

  function sortRows(how, columns, aspect, tools) {
    if (!how && !rows) return;
    rows = how;
    extra.hidden = !how;
    if (!how) {
      for (const { body, rows: own } of bodies) {
        for (const { row } of own) { tell(row, ""); body.append(row); }
      }
      return;
    }
    const measured = every.filter(({ row }) => !row.hidden).map((one) => {
      const [key, words] = measure(how, one.cells.filter((_, i) => columns[i]), aspect, tools);
      tell(one.row, words);
      return { ...one, key };
    });
    measured.sort((a, b) => a.key - b.key || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    extra.replaceChildren();
    for (const { row } of measured) extra.append(row);
    for (const { body, rows: own } of bodies) {
      for (const { row } of own) if (row.hidden) body.append(row);
      body.hidden = true;
    }
  }

  // `points` are kept, missing and demanded aspects of each column
  function sortColumns(how, points) {
    const shares = points.map(([kept, , demanded]) => (demanded ? kept / demanded : -1));
    const wanted = heads.map((_, i) => i);
    if (how === "score") wanted.sort((a, b) => shares[b] - shares[a] || a - b);
    if (how === "name") wanted.sort((a, b) => label(heads[a]).localeCompare(label(heads[b]), "en", { numeric: true }));
    if (wanted.every((n, i) => n === order[i])) return;
    order = wanted;
    const put = (row, cells) => row.append(...wanted.map((n) => cells[n]));
    put(grid.tHead.rows[0], heads);
    for (const { head, headCells } of bodies) put(head, headCells);
    for (const { row, cells } of every) put(row, cells.map((c) => c.cell));
    list.append(...wanted.map((n) => entries.get(heads[n].dataset.key)));
  }

  return { sortRows, sortColumns };
};
