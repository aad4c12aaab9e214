// The search at the top of every page: functions, targets, and failures by message and id.
// Its data is asked for when somebody begins to search.
"use strict";
(() => {
  const form = document.getElementById("finder"), field = document.getElementById("search");
  const list = document.getElementById("hits"), told = document.getElementById("hits-told");
  const root = form.dataset.root, most = 40;
  let entries = null, active = -1;

  function load() {
    if (load.begun) return;
    load.begun = true;
    const script = document.createElement("script");
    script.src = `${root}assets/search-data.js`;
    script.onload = () => { entries = listed(window.conformanceSearch); find(); };
    document.head.append(script);
  }

  function listed({ functions, targets, verdicts, failures }) {
    const entry = (kind, title, rest, link, extra = {}) =>
      ({ kind, title, rest, link, text: `${title} ${rest} ${extra.more || ""}`.toLowerCase(), ...extra });
    return [
      ...functions.map(([name, slug, summary]) => entry("function", name, summary, `functions/${slug}.html`)),
      ...targets.map(([label, key]) => entry("target", label, "", `targets/${key}.html`)),
      ...failures.map(([number, anchor, id, letter, aspect, message, who]) => {
        const [name, slug] = functions[number], [verdict, symbol] = verdicts[letter];
        const on = who.map((n) => targets[n][0]).join(", ");
        return entry("failure", name, message, `functions/${slug}.html#${anchor}`, {
          id, symbol, verdict, aspect, on, more: `${id} ${aspect} ${verdict} ${on}`,
        });
      }),
    ];
  }

  // the whole name, then names that begin so, then ids, then what only holds the words
  function rank(entry, wanted) {
    const title = entry.title.toLowerCase();
    if (entry.kind !== "failure") {
      if (title === wanted) return 0;
      if (title.startsWith(wanted)) return 1;
      return title.includes(wanted) ? 2 : 4;
    }
    return entry.id.toLowerCase().startsWith(wanted) ? 1 : 5;
  }

  function find() {
    const wanted = field.value.trim().toLowerCase();
    active = -1;
    field.removeAttribute("aria-activedescendant");
    if (!wanted) return close();
    if (!entries) return open([note("Loading …")], "");
    const words = wanted.split(/\s+/);
    const found = entries.filter((entry) => words.every((word) => entry.text.includes(word)))
      .map((entry) => [rank(entry, wanted), entry]).sort((a, b) => a[0] - b[0]).map(([, entry]) => entry);
    const shown = found.slice(0, most).map(option);
    const more = found.length - shown.length;
    if (!found.length) shown.push(note("No entry has all of these words."));
    else if (more) shown.push(note(`and ${more} more: write another word`));
    open(shown, found.length ? `${found.length} results` : "no results");
  }

  function part(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.textContent = text;
    return made;
  }

  function note(text) {
    const made = part("div", "note", text);
    made.setAttribute("role", "option");
    made.setAttribute("aria-disabled", "true");
    return made;
  }

  function option(entry, index) {
    const made = document.createElement("div");
    made.id = `hit-${index}`;
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", "false");
    made.dataset.link = root + entry.link;
    if (entry.kind === "failure") {
      const mark = part("span", `mark v-${entry.verdict.replaceAll(" ", "-")}`, entry.symbol);
      made.append(mark, " ", part("b", "", entry.title), " ", part("span", "tag", entry.aspect), " ",
        part("code", "", entry.id), part("span", "says", entry.rest), part("span", "light", entry.on));
    } else {
      made.append(part("b", "", entry.title), " ", part("span", "tag", entry.kind), part("span", "says", entry.rest));
    }
    return made;
  }

  function open(children, words) {
    list.replaceChildren(...children);
    list.hidden = false;
    list.scrollTop = 0;
    field.setAttribute("aria-expanded", "true");
    told.textContent = words;
  }

  function close() {
    list.hidden = true;
    list.replaceChildren();
    active = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    told.textContent = "";
  }

  const options = () => [...list.querySelectorAll("[data-link]")];

  function move(by) {
    const all = options();
    if (!all.length) return;
    all[active]?.setAttribute("aria-selected", "false");
    active = (active + by + all.length) % all.length;
    all[active].setAttribute("aria-selected", "true");
    all[active].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", all[active].id);
  }

  function go(chosen) {
    if (!chosen) return;
    close();
    field.value = "";
    location.href = chosen.dataset.link;
  }

  field.addEventListener("focus", load);
  field.addEventListener("input", () => { load(); find(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(active < 0 ? 0 : -1);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(options()[Math.max(active, 0)]);
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => go(event.target.closest("[data-link]")));
  form.addEventListener("focusout", (event) => { if (!form.contains(event.relatedTarget)) close(); });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    field.focus();
  });
})();
