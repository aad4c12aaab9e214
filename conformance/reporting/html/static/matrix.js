// The matrix: filters and orders, which are kept in the address, scores of what is shown, arrow keys.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const fields = ["q", "edition", "theme", "aspect", "verdict", "convention", "reading", "sort", "columns"];
  const grid = $("grid"), form = $("filters");
  const names = {
    M: "changed", E: "error",
    C: "conforms", V: "violates", D: "conforms", U: "unsupported", X: "crashed", T: "timed out", R: "not run",
  };
  const symbols = { C: "✓", V: "✗", D: "✓", M: "≠", U: "–", X: "!", T: "T", R: "○", E: "?", ".": "·", "": "○" };
  const gravest = "VXTEMURDC";
  // all readings in the order of their numbers; the menu shows those of the chosen convention
  const readings = [...$("reading").options].slice(1).map((option) => ({
    option, convention: option.dataset.convention, name: option.value,
  }));
  const taken = (text) => new Map((text || "").split(" ").filter(Boolean).map((part) => {
    const [aspect, numbers] = part.split(":");
    return [Number(aspect), numbers.split(",").map(Number)];
  }));
  const heads = [...grid.tHead.rows[0].cells].slice(1);
  const boxes = [...form.querySelectorAll("input[name=t]")];
  const aspects = [...$("aspect").options].slice(1).map((option) => option.value);
  const bodies = [...grid.tBodies].map((body) => ({
    body,
    theme: body.dataset.theme,
    head: body.rows[0],
    headCells: [...body.rows[0].cells].slice(1),
    rows: [...body.rows].slice(1).map((row) => ({
      row,
      name: row.cells[0].textContent.toLowerCase(),
      cells: [...row.cells].slice(1).map((cell, i) => ({
        target: heads[i].querySelector("a").textContent, edition: heads[i].dataset.edition, key: heads[i].dataset.key,
        cell, letters: cell.dataset.a || "", taken: taken(cell.dataset.r), words: (cell.dataset.w || cell.querySelector(".unseen").textContent).trim(),
        dtypes: taken(cell.dataset.d), place: row.cells[0].querySelector("a").getAttribute("href"),
      })),
    })),
  }));

  const language = window.conformanceQuery;
  const known = {
    target: heads.map((head) => head.querySelector("a").textContent),
    aspect: aspects,
    dtype: form.dataset.dtypes.split(" ").filter(Boolean),
    theme: bodies.map(({ theme }) => theme),
    edition: [...new Set(heads.map((head) => head.dataset.edition))],
  };
  const sorting = window.conformanceSorting(grid, bodies, heads);
  const filters = ["q", "edition", "theme", "aspect", "verdict", "convention", "reading"];

  function state() {
    const wanted = Object.fromEntries(fields.map((id) => [id, $(id).value]));
    wanted.targets = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    return wanted;
  }

  function address(wanted) {
    const parts = new URLSearchParams();
    for (const id of fields) if (wanted[id]) parts.set(id, wanted[id]);
    if (boxes.some((box) => box.checked !== box.defaultChecked)) parts.set("t", [...wanted.targets].join(","));
    return parts.toString();
  }

  // what the address asks for and the page does not have, in words
  let ignored = [];

  function restore() {
    const parts = new URLSearchParams(location.hash.slice(1));
    ignored = [];
    for (const id of fields) {
      if (id === "reading") offer();
      const value = parts.get(id) || "";
      $(id).value = value;
      if ($(id).value !== value) ignore(id, value);
    }
    const chosen = parts.has("t") ? new Set(parts.get("t").split(",")) : null;
    const keys = boxes.map((box) => box.value);
    for (const key of chosen || []) if (key && !keys.includes(key)) ignored.push(language.absent("target", key, keys));
    for (const box of boxes) box.checked = chosen ? chosen.has(box.value) : box.defaultChecked;
    if (boxes.length && !boxes.some((box) => box.checked)) for (const box of boxes) box.checked = box.defaultChecked;
    apply();
    // a linked view is what the reader wants to see, not what stands above it
    if (parts.size && [...parts.keys()].some((key) => fields.includes(key) || key === "t")) $("matrix").scrollIntoView();
  }

  function ignore(id, value) {
    $(id).value = "";
    const names = [...($(id).options || [])].map((option) => option.value).filter(Boolean);
    ignored.push(language.absent(id, value, names));
  }

  const pick = (letters, aspect) => {
    if (!letters) return "";
    if (aspect >= 0) return letters[aspect];
    return [...gravest].find((letter) => letters.includes(letter)) || ".";
  };
  const seen = (letters, aspect) => (aspect >= 0 ? letters[aspect] || "" : letters);

  const takes = (c, aspect) => (aspect >= 0 ? c.taken.get(aspect) || [] : [...c.taken.values()].flat());
  const diverges = (c, aspect) => seen(c.letters, aspect).includes("D") || takes(c, aspect).length > 0;

  // the readings of the chosen convention, in the menu beside it
  function offer() {
    const menu = $("reading"), convention = $("convention").value, before = menu.value;
    const fitting = readings.filter((reading) => reading.convention === convention);
    menu.replaceChildren(menu.options[0], ...fitting.map((reading) => reading.option));
    menu.value = fitting.some((reading) => reading.name === before) ? before : "";
    menu.disabled = !convention;
  }

  function takesIt(c, wanted, aspect) {
    return takes(c, aspect).some((number) => {
      const { convention, name } = readings[number];
      return convention === wanted.convention && (!wanted.reading || name === wanted.reading);
    });
  }

  function matches(cells, wanted, aspect) {
    if (wanted.convention && !cells.some((c) => takesIt(c, wanted, aspect) && wants(c, wanted, aspect))) return false;
    if (!wanted.verdict) return true;
    if (wanted.verdict === "different") {
      return new Set(cells.map((c) => pick(c.letters, aspect)).filter((l) => l && l !== ".").map((l) => names[l])).size > 1;
    }
    return cells.some((c) => hit(c, wanted, aspect));
  }

  const listed = (wanted) => wanted.verdict && wanted.verdict !== "different";
  const wants = (c, wanted, aspect) => !listed(wanted) || hit(c, wanted, aspect);

  function hit(c, wanted, aspect) {
    const letters = seen(c.letters, aspect);
    if (wanted.verdict === "imperfect") return /[VXTMUR]/.test(letters);
    if (wanted.verdict === "diverges") return diverges(c, aspect);
    return [...letters].some((letter) => names[letter] === wanted.verdict);
  }

  function show(c, wanted, aspect) {
    const letter = pick(c.letters, aspect);
    const words = names[letter] || (c.letters ? "not applicable" : c.words);
    const points = score([c], aspect);
    if (c.cell.dataset.w) window.conformanceFill(c.cell);
    const link = c.cell.firstElementChild;
    c.cell.className = `v-${words.replaceAll(" ", "-")} ${grade(points)}`;
    link.setAttribute("href", c.place + anchor(c, letter, aspect));
    const dim = !wants(c, wanted, aspect) || (wanted.convention && !takesIt(c, wanted, aspect));
    if (dim) c.cell.classList.add("dim");
    link.querySelector("i").textContent = words === "not in this edition" ? "·" : symbols[letter];
    link.querySelector(".unseen").textContent = diverges(c, aspect) ? `${words}, another reading ` : `${words} `;
    link.children[2].textContent = aspect < 0 && points[2] ? `${points[0]}/${points[2]}` : "";
    quietMark(link, diverges(c, aspect));
  }

  function quietMark(link, wanted) {
    const there = link.querySelector("sup");
    if (!wanted) there?.remove();
    else if (!there) {
      const made = document.createElement("sup");
      made.textContent = "≈";
      made.ariaHidden = "true";
      link.append(made);
    }
  }

  // what a cell's mark stands for is told where the pointer or the focus is
  function explain(event) {
    const cell = event.target.closest("td[data-r]");
    if (!cell || cell.title) return;
    const numbers = new Set([...taken(cell.dataset.r).values()].flat());
    cell.title = "≈ " + [...numbers].map((n) => `${readings[n].convention}: ${readings[n].name}`).join(", ");
  }

  function score(cells, aspect) {
    let kept = 0, missing = 0, demanded = 0;
    for (const { letters } of cells) {
      for (const letter of seen(letters, aspect)) {
        if (letter !== "." && letter !== "E") demanded += 1;
        if ("CD".includes(letter)) kept += 1;
        if ("UR".includes(letter)) missing += 1;
      }
    }
    return [kept, missing, demanded];
  }

  // as in `results.scores`: 0.0 and 100.0 are the shares of none and all alone
  const share = (part, whole) => {
    const tenths = Math.round((part * 1000) / whole);
    const bounded = Math.min(Math.max(tenths, part > 0 ? 1 : 0), part < whole ? 999 : 1000);
    return `${(bounded / 10).toFixed(1)} %`;
  };

  function apply() {
    const wanted = state(), aspect = aspects.indexOf(wanted.aspect);
    const query = language.parse(wanted.q, known);
    complain([...query.problems, ...ignored]);
    // a query adds the columns of the targets that it names, and asks all targets of a large matrix
    const all = boxes.every((box) => box.checked === box.defaultChecked);
    const ofEdition = (head) => !wanted.edition || head.dataset.edition === wanted.edition;
    const columns = heads.map((head, i) => ofEdition(head)
      && (wanted.targets.has(head.dataset.key) || (all && language.names(query, known.target[i]))));
    heads.forEach((head, i) => { head.hidden = !columns[i]; });
    const shown = heads.map(() => []);
    let count = 0;
    for (const { theme, body, headCells, rows } of bodies) {
      const here = heads.map(() => []);
      let any = false;
      for (const { row, name, cells } of rows) {
        const visible = cells.filter((_, i) => columns[i]);
        const fits = (!wanted.theme || theme === wanted.theme)
          && language.matches(query, { name, theme, cells: all ? cells.filter((_, i) => ofEdition(heads[i])) : visible }, known)
          && (!wanted.edition || visible.some((c) => c.letters || c.words !== "not in this edition"))
          && (aspect < 0 || visible.some((c) => seen(c.letters, aspect).replace(".", "")))
          && matches(visible, wanted, aspect);
        row.hidden = !fits;
        if (!fits) continue;
        any = true;
        count += 1;
        cells.forEach((c, i) => {
          c.cell.hidden = !columns[i];
          if (columns[i]) { show(c, wanted, aspect); here[i].push(c); shown[i].push(c); }
        });
      }
      body.hidden = !any;
      headCells.forEach((cell, i) => {
        cell.hidden = !columns[i];
        const points = score(here[i], aspect);
        cell.textContent = points[2] ? `${points[0]}/${points[2]}` : "";
        cell.className = grade(points);
      });
    }
    hideEmpty(shown, columns, wanted);
    const points = heads.map((_, i) => score(shown[i], aspect));
    heads.forEach((head, i) => total(head, points[i]));
    sorting.sortColumns(wanted.columns, points.map((own, i) => (heads[i].dataset.partial ? [0, 0, 0] : own)));
    sorting.sortRows(wanted.sort, columns, aspect, { score, takes: (c, j) => c.taken.get(j) || "" });
    for (const id of fields) $(id).classList.toggle("set", Boolean(wanted[id]));
    const narrowed = filters.some((id) => wanted[id] && id !== "edition");
    tell(count, columns.filter(Boolean).length, narrowed, takers(shown, wanted, aspect));
    rove();
  }

  // the class for a share of kept demands: `g-0` to `g-3`, `g-4` for all
  const grade = ([kept, , demanded]) => (demanded ? `g-${Math.floor((kept * 4) / demanded)}` : "");

  // the record that gives the cell its mark, on the function's page
  function anchor(c, letter, aspect) {
    if (!letter || letter === ".") return "";
    const name = aspects[aspect >= 0 ? aspect : c.letters.indexOf(letter)];
    return `#at-${name.replaceAll(" ", "-")}-${c.key}`;
  }

  function complain(problems) {
    $("problems").hidden = !problems.length;
    $("problems").textContent = problems.map((words) => `Ignored: ${words}.`).join(" ");
  }

  // a query hides the targets whose editions have none of its functions
  function hideEmpty(shown, columns, wanted) {
    if (!wanted.q) return;
    const empty = heads.map((_, i) => columns[i] && shown[i].every((c) => !c.letters && c.words === "not in this edition"));
    if (columns.every((there, i) => !there || empty[i])) return;
    empty.forEach((hidden, i) => {
      if (!hidden) return;
      columns[i] = false;
      heads[i].hidden = true;
      for (const { headCells, rows } of bodies) {
        headCells[i].hidden = true;
        for (const { cells } of rows) cells[i].cell.hidden = true;
      }
    });
  }

  function takers(shown, wanted, aspect) {
    if (!wanted.convention) return null;
    const of = (cells) => cells.filter((c) => takesIt(c, wanted, aspect) && wants(c, wanted, aspect)).length;
    return heads.map((head, i) => [head.querySelector("a").textContent, of(shown[i])]).filter(([, n]) => n);
  }

  function total(head, [kept, missing, demanded]) {
    const [first, second, third] = head.querySelector(".points").children;
    if (head.dataset.partial) return;
    first.textContent = demanded ? share(kept, demanded) : "–";
    second.textContent = demanded ? `${kept}/${demanded}` : "";
    third.textContent = demanded ? `${share(missing, demanded)} missing` : "";
  }

  // without a filter the page is right as it came
  function begin() {
    form.reset();
    offer();
    tell(bodies.reduce((sum, { rows }) => sum + rows.length, 0), boxes.filter((box) => box.checked).length, "");
    rove();
  }

  function tell(count, shown, narrowed, who) {
    $("nothing").hidden = count > 0;
    $("howmany").textContent = `${shown} of ${heads.length}`;
    const all = bodies.reduce((sum, { rows }) => sum + rows.length, 0);
    const words = `${count < all ? `${count} of ${all}` : count} function${all === 1 ? "" : "s"}`;
    const taking = who ? `; taken by ${who.map(([name, n]) => `${name} (${n})`).join(", ") || "no target"}` : "";
    $("found").textContent = words + (narrowed ? "; scores of what is shown" : "") + taking;
  }

  function remember() {
    const text = address(state());
    try {
      history.replaceState(null, "", text ? `#${text}` : "#");
    } catch {
      location.hash = text;
    }
  }

  // one link of the grid is in the order of Tab; the arrow keys move it
  const links = () => [...grid.tBodies].filter((b) => !b.hidden).flatMap((b) => [...b.rows])
    .filter((row) => !row.hidden && !row.classList.contains("theme"))
    .map((row) => [...row.cells].filter((cell) => !cell.hidden).map((cell) => cell.querySelector("a")));

  function rove(current) {
    const rows = links();
    for (const link of grid.querySelectorAll("tbody a")) link.tabIndex = -1;
    const chosen = current || rows[0]?.[0];
    if (chosen) chosen.tabIndex = 0;
  }

  const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
  grid.addEventListener("keydown", (event) => {
    const from = event.target.closest("tbody a");
    if (!from || event.ctrlKey || event.altKey || event.metaKey) return;
    const rows = links();
    const y = rows.findIndex((row) => row.includes(from)), x = rows[y]?.indexOf(from);
    let to = null;
    if (steps[event.key]) to = rows[y + steps[event.key][0]]?.[x + steps[event.key][1]];
    else if (event.key === "Home") to = rows[y][0];
    else if (event.key === "End") to = rows[y].at(-1);
    else return;
    event.preventDefault();
    if (to) { rove(to); to.focus(); reveal(to); }
  });

  // what has the focus must not be under the sticky row or column
  function reveal(link) {
    const box = grid.parentElement, cell = link.closest("td, th").getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    const top = frame.top + grid.tHead.offsetHeight, left = frame.left + grid.rows[0].cells[0].offsetWidth;
    if (cell.top < top) box.scrollTop -= top - cell.top + 4;
    if (cell.left < left && link.closest("td")) box.scrollLeft -= left - cell.left + 4;
  }

  grid.addEventListener("pointerover", explain);
  grid.addEventListener("focusin", explain);
  form.addEventListener("input", (event) => {
    if (event.target.id === "convention") offer();
    ignored = [];
    apply();
    remember();
    grid.parentElement.scrollTop = 0;
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", restore);
  if (location.hash.length > 1) restore();
  else begin();
  form.addEventListener("reset", () => setTimeout(() => { ignored = []; offer(); apply(); remember(); }));
})();
