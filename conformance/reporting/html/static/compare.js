// Two results side by side, from the letters in data.js.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = window.conformanceData;
  const byKey = new Map(data.targets.map((target) => [target.key, target]));
  const groups = [
    ["only-b", "kept in B only"], ["only-a", "kept in A only"],
    ["other", "differs otherwise"], ["readings", "other readings"], ["same", "same"],
    ["missing", "in one of them only"],
  ];
  const sameTarget = { "only-b": "fixed", "only-a": "broke" };
  const anyOther = "*";
  const gravest = "VXTEMURDC";
  // a divergence is no fault: it follows the documents, and its readings are told beside
  const standing = (letter) => (letter === "D" ? "C" : letter);
  // what the reader asked for; without it the first group that has something is shown
  let asked = "";

  // the readings of each target by function and aspect, as text: the same text for the same readings
  for (const target of data.targets) {
    target.readings = target.taken.map((text) => new Map(text.split(" ").filter(Boolean).map((part) => {
      const [aspect, numbers] = part.split(":");
      return [Number(aspect), numbers.split(",").map((number) => data.readings[number]).join(", ")];
    })));
  }
  const reading = (target, i, j) => target.readings?.[i]?.get(j) || "";

  function options(select) {
    for (const target of data.targets) {
      const option = document.createElement("option");
      option.value = target.key;
      option.textContent = target.newest ? target.label : `${target.label}, earlier`;
      select.append(option);
    }
    if (data.targets.length > 2) {
      const option = document.createElement("option");
      option.value = anyOther;
      option.textContent = "any other target";
      select.append(option);
    }
  }

  // the worst verdict over the other targets of an edition, and which of them have it
  function others(than) {
    const listed = data.targets.filter((t) => t.newest && t.key !== than.key && t.edition === than.edition);
    const worst = (i, j) => [...gravest].find((letter) => listed.some((t) => t.cells[i][j] === letter)) || ".";
    return {
      label: `any other target of ${than.edition}`,
      edition: than.edition,
      cells: data.functions.map((_, i) => data.aspects.map((_, j) => worst(i, j)).join("")),
      who: (i, j) => listed.filter((t) => t.cells[i][j] === worst(i, j)).map((t) => t.label),
    };
  }

  function chosen() {
    const [first, second] = ["a", "b"].map((id) => byKey.get($(id).value));
    if (first && second) return [first, second];
    return first ? [first, others(first)] : second ? [others(second), second] : [];
  }

  function restore() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const known = (key, otherwise) => (byKey.has(key) || (key === anyOther && data.targets.length > 2) ? key : data.targets[Math.min(otherwise, data.targets.length - 1)]?.key);
    $("b").value = known(parts.get("b"), 1);
    const first = data.targets[0]?.key === $("b").value ? 1 : 0;
    $("a").value = known(parts.get("a"), first);
    $("q").value = parts.get("q") || "";
    $("aspect").value = parts.get("aspect") || "";
    if ($("aspect").selectedIndex < 0) $("aspect").value = "";
    asked = groups.some(([id]) => id === parts.get("show")) ? parts.get("show") : "";
    draw();
  }

  function remember() {
    const parts = new URLSearchParams({ a: $("a").value, b: $("b").value });
    if (asked) parts.set("show", asked);
    if ($("q").value) parts.set("q", $("q").value);
    if ($("aspect").value) parts.set("aspect", $("aspect").value);
    try { history.replaceState(null, "", `#${parts}`); } catch { location.hash = parts.toString(); }
  }

  function sort(a, b, otherReadings) {
    const here = a && !".E".includes(a), there = b && !".E".includes(b);
    if (!here && !there) return null;
    if (!here || !there) return "missing";
    if (a === b) return otherReadings ? "readings" : "same";
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
        const comparable = a.readings && b.readings;
        const differ = comparable ? reading(a, i, j) !== reading(b, i, j) : (from === "D") !== (to === "D");
        const kind = sort(standing(from), standing(to), differ);
        if (kind) found.push({ name, theme, file, aspect, from, to, kind, i, j });
      });
    });
    return found;
  }

  function verdict(letter, who, readings, link) {
    const cell = document.createElement("td");
    const [words, symbol] = data.verdicts[standing(letter)] || ["not run", "○"];
    const shown = letter === "." ? "not applicable" : words;
    cell.className = `v-${shown.replaceAll(" ", "-")}`;
    const record = document.createElement(link ? "a" : "span");
    if (link) record.href = link;
    record.textContent = `${letter === "." ? "·" : symbol} ${shown}`;
    cell.append(record);
    if (letter === "D" || readings) {
      const mark = document.createElement("span");
      mark.className = "taken";
      mark.textContent = ` ≈ ${readings || "another reading"}`;
      cell.append(mark);
    }
    if (who?.length && letter !== "C" && letter !== ".") cell.append(`: ${who.join(", ")}`);
    return cell;
  }

  // the record on the function's page that gives an aspect its mark; older results are not there
  function place(side, file, aspect, letter, i, j) {
    const target = side.who ? data.targets.find((t) => t.newest && t.label === side.who(i, j)[0]) : side;
    if (!target?.newest || !letter || letter === ".") return "";
    return `functions/${file}.html#at-${aspect.replaceAll(" ", "-")}-${target.key}`;
  }

  function line({ name, file, aspect, from, to, i, j }, a, b) {
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
    const cell = (letter, side) => verdict(letter, side.who?.(i, j), reading(side, i, j), place(side, file, aspect, letter, i, j));
    row.append(head, what, cell(from, a), cell(to, b));
    return row;
  }

  function draw() {
    const [a, b] = chosen();
    if (!a) {
      $("changes").hidden = true;
      $("groups").replaceChildren();
      $("found").textContent = "Choose a target for A or B.";
      return;
    }
    const found = changes(a, b);
    const one = a.label === b.label || a.label.startsWith(`${b.label} of `) || b.label.startsWith(`${a.label} of `);
    const filled = ["only-a", "only-b", "other", "readings", "missing"].find((id) => found.some((c) => c.kind === id));
    const group = asked || filled || "same";
    $("groups").replaceChildren(...groups.map(([id, words]) => {
      const button = document.createElement("button"), figure = document.createElement("b");
      figure.textContent = found.filter((c) => c.kind === id).length;
      button.type = "button";
      button.setAttribute("aria-pressed", String(id === group));
      button.append(figure, ` ${one && sameTarget[id] ? `${sameTarget[id]} (${words})` : words}`);
      button.addEventListener("click", () => { asked = id; draw(); remember(); $("groups").querySelector("[aria-pressed=true]").focus(); });
      return button;
    }));
    const rows = found.filter((c) => c.kind === group);
    $("name-a").textContent = `A: ${a.label}`;
    $("name-b").textContent = `B: ${b.label}`;
    $("changes").hidden = !rows.length;
    $("changes").tBodies[0].replaceChildren(...rows.map((row) => line(row, a, b)));
    const told = `${rows.length} of ${found.length} aspects`;
    $("found").textContent = a.edition === b.edition ? told : `${told}. A is held to ${a.edition}, B to ${b.edition}.`;
  }

  options($("a"));
  options($("b"));
  $("swap").addEventListener("click", () => {
    [$("a").value, $("b").value] = [$("b").value, $("a").value];
    asked = { "only-a": "only-b", "only-b": "only-a" }[asked] || asked;
    draw(); remember();
  });
  $("filters").addEventListener("input", () => { draw(); remember(); });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", restore);
  restore();
})();
