// Two results side by side, from the letters in data.js.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = window.conformanceData;
  const byKey = new Map(data.targets.map((target) => [target.key, target]));
  const groups = [
    ["only-b", "conforms in B only"], ["only-a", "conforms in A only"],
    ["other", "differs otherwise"], ["same", "same verdict"], ["missing", "in one of them only"],
  ];
  const sameTarget = { "only-b": "fixed", "only-a": "broke" };
  let group = "only-a";

  function options(select) {
    for (const target of data.targets) {
      const option = document.createElement("option");
      option.value = target.key;
      option.textContent = target.newest ? target.label : `${target.label}, earlier`;
      select.append(option);
    }
  }

  function restore() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const known = (key, otherwise) => (byKey.has(key) ? key : data.targets[Math.min(otherwise, data.targets.length - 1)]?.key);
    $("b").value = known(parts.get("b"), 1);
    const first = data.targets[0]?.key === $("b").value ? 1 : 0;
    $("a").value = known(parts.get("a"), first);
    $("q").value = parts.get("q") || "";
    $("aspect").value = parts.get("aspect") || "";
    if ($("aspect").selectedIndex < 0) $("aspect").value = "";
    group = groups.some(([id]) => id === parts.get("show")) ? parts.get("show") : "only-a";
    draw();
  }

  function remember() {
    const parts = new URLSearchParams({ a: $("a").value, b: $("b").value, show: group });
    if ($("q").value) parts.set("q", $("q").value);
    if ($("aspect").value) parts.set("aspect", $("aspect").value);
    try { history.replaceState(null, "", `#${parts}`); } catch { location.hash = parts.toString(); }
  }

  function sort(a, b) {
    const here = a && a !== ".", there = b && b !== ".";
    if (!here && !there) return null;
    if (!here || !there) return "missing";
    if (a === b) return "same";
    if (b === "C") return "only-b";
    return a === "C" ? "only-a" : "other";
  }

  function changes(a, b) {
    const part = $("q").value.trim().toLowerCase(), wanted = $("aspect").value;
    const found = [];
    data.functions.forEach(([name, theme, file], i) => {
      if (!name.toLowerCase().includes(part)) return;
      data.aspects.forEach((aspect, j) => {
        if (wanted && aspect !== wanted) return;
        const from = a.cells[i][j] || "", to = b.cells[i][j] || "";
        const kind = sort(from, to);
        if (kind) found.push({ name, theme, file, aspect, from, to, kind });
      });
    });
    return found;
  }

  function verdict(letter) {
    const cell = document.createElement("td");
    const [words, symbol] = data.verdicts[letter] || ["not run", "○"];
    const shown = letter === "." ? "not applicable" : words;
    cell.className = `v-${shown.replaceAll(" ", "-")}`;
    cell.textContent = `${letter === "." ? "·" : symbol} ${shown}`;
    return cell;
  }

  function line({ name, file, aspect, from, to }) {
    const row = document.createElement("tr"), head = document.createElement("th");
    const link = document.createElement("a"), what = document.createElement("td");
    head.scope = "row";
    link.href = `functions/${file}.html`;
    link.textContent = name;
    head.append(link);
    const detail = document.createElement("a");
    detail.href = `functions/${file}.html#aspect-${aspect.replaceAll(" ", "-")}`;
    detail.textContent = aspect;
    what.append(detail);
    row.append(head, what, verdict(from), verdict(to));
    return row;
  }

  function draw() {
    const a = byKey.get($("a").value), b = byKey.get($("b").value);
    if (!a || !b) return;
    const found = changes(a, b);
    const one = a.label === b.label || a.label.startsWith(`${b.label} of `) || b.label.startsWith(`${a.label} of `);
    $("groups").replaceChildren(...groups.map(([id, words]) => {
      const button = document.createElement("button"), figure = document.createElement("b");
      figure.textContent = found.filter((c) => c.kind === id).length;
      button.type = "button";
      button.setAttribute("aria-pressed", String(id === group));
      button.append(figure, ` ${one && sameTarget[id] ? `${sameTarget[id]} (${words})` : words}`);
      button.addEventListener("click", () => { group = id; draw(); remember(); $("groups").querySelector("[aria-pressed=true]").focus(); });
      return button;
    }));
    const rows = found.filter((c) => c.kind === group);
    $("name-a").textContent = `A: ${a.label}`;
    $("name-b").textContent = `B: ${b.label}`;
    $("changes").hidden = !rows.length;
    $("changes").tBodies[0].replaceChildren(...rows.map(line));
    const told = `${rows.length} of ${found.length} aspects`;
    $("found").textContent = a.edition === b.edition ? told : `${told}. A is held to ${a.edition}, B to ${b.edition}.`;
  }

  options($("a"));
  options($("b"));
  $("swap").addEventListener("click", () => {
    [$("a").value, $("b").value] = [$("b").value, $("a").value];
    group = { "only-a": "only-b", "only-b": "only-a" }[group] || group;
    draw(); remember();
  });
  $("filters").addEventListener("input", () => { draw(); remember(); });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", restore);
  restore();
})();
