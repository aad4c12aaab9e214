// The query language of the matrix: `fails:torch passes:jax dtype:int32`. It parses and judges; it
// touches no page, so a test can run it in node.
"use strict";
(() => {
  // the letters that each key looks for in a cell; `passes` asks for a cell without any other
  const letters = { fails: "VXT", lacks: "UR", changes: "M", diverges: "D", passes: "CD" };
  const values = ["aspect", "dtype", "theme", "edition"];
  const keys = [...Object.keys(letters), ...values];

  // `-theme:"linear algebra"`: sign, key and value of each term; a word alone has no key
  function split(text) {
    return [...text.matchAll(/(-?)(?:([a-z]+):)?("[^"]*"?|\S+)?/gi)].filter((match) => match[0].trim())
      .map(([, sign, key = "", value = ""]) => ({
        not: sign === "-", key: key.toLowerCase(), value: value.replaceAll('"', "").toLowerCase(),
      }));
  }

  // a name with spaces or commas in quotation marks, as a query needs it
  const quoted = (name) => (/[\s,]/.test(name) ? `"${name}"` : name);
  const absent = (key, value, names) => `no ${key} “${value}”; there are ${names.map(quoted).join(", ") || "none"}`;

  // what is wrong with a term, in words that name it; nothing if it is right
  function problem({ key, value }, known) {
    if (!key) return "";
    if (!keys.includes(key)) return `no key “${key}:”; the keys are ${keys.map((name) => `${name}:`).join(" ")}`;
    if (!value) return `“${key}:” needs a value`;
    if (values.includes(key)) {
      const names = known[key].map((name) => name.toLowerCase());
      return names.includes(value) ? "" : absent(key, value, known[key]);
    }
    if (value === "any" || value === "all" || known.target.some((name) => name.toLowerCase().includes(value))) return "";
    return `no target has “${value}” in its name`;
  }

  // `known` has the names of each kind: target, aspect, dtype, theme, edition
  function parse(text, known) {
    const terms = [], problems = [];
    for (const term of split(text)) {
      const words = problem(term, known);
      if (words) problems.push(words); else terms.push(term);
    }
    const only = (key) => terms.filter((term) => term.key === key && !term.not).map((term) => term.value);
    return { terms, problems, aspects: only("aspect"), dtypes: only("dtype") };
  }

  // whether a cell has what the key asks for, in the aspects and dtypes of the query
  function hit(key, cell, query, known) {
    const places = known.aspect.map((name, place) => [name.toLowerCase(), place])
      .filter(([name]) => !query.aspects.length || query.aspects.includes(name)).map(([, place]) => place);
    const seen = places.filter((place) => (cell.letters[place] || ".") !== ".");
    if (key === "passes") return seen.length > 0 && seen.every((place) => letters.passes.includes(cell.letters[place]));
    const sought = (place) => letters[key].includes(cell.letters[place])
      || (key === "diverges" && cell.taken?.has(place));
    return seen.some((place) => sought(place) && has(cell, place, query, known));
  }

  function has(cell, place, query, known) {
    const numbers = cell.dtypes?.get(place) || [];
    return query.dtypes.every((name) => numbers.some((number) => known.dtype[number].toLowerCase() === name));
  }

  const wanted = (value, cell) => ["any", "all"].includes(value) || cell.target.toLowerCase().includes(value);

  function fits(term, row, query, known) {
    const { key, value } = term;
    if (!key) return row.name.toLowerCase().includes(value);
    if (key === "theme") return row.theme.toLowerCase() === value;
    const tested = row.cells.filter((cell) => cell.letters);
    if (key === "edition") return tested.some((cell) => cell.edition.toLowerCase() === value);
    const seen = (cell, place) => (cell.letters[place] || ".") !== ".";
    if (key === "aspect") {
      const place = known.aspect.findIndex((name) => name.toLowerCase() === value);
      return tested.some((cell) => seen(cell, place));
    }
    if (key === "dtype") {
      const number = known.dtype.findIndex((name) => name.toLowerCase() === value);
      return tested.some((cell) => [...(cell.dtypes?.values() || [])].some((numbers) => numbers.includes(number)));
    }
    const asked = tested.filter((cell) => wanted(value, cell));
    const of = (cell) => hit(key, cell, query, known);
    return value === "all" ? asked.length > 0 && asked.every(of) : asked.some(of);
  }

  // a row has a name, a theme and cells: { target, edition, letters, taken, dtypes }
  const matches = (query, row, known) => query.terms.every((term) => fits(term, row, query, known) !== term.not);

  // whether the query names a target
  const names = (query, target) => query.terms.some(({ key, value }) => key in letters
    && value !== "any" && value !== "all" && target.toLowerCase().includes(value));

  const api = { keys, parse, matches, names, absent };
  if (typeof window === "undefined") module.exports = api; else window.conformanceQuery = api;
})();
