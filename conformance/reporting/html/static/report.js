// On every page: the colour scheme, copying of scripts, menus that close, records that are linked or
// opened.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const store = {
    get() { try { return localStorage.getItem("scheme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("scheme", value); } catch { /* private window */ } },
  };
  const schemes = { "": "those of the system", light: "light", dark: "dark" };
  let scheme = schemes[store.get()] ? store.get() : "";

  function paint() {
    if (scheme) root.dataset.scheme = scheme; else delete root.dataset.scheme;
    const button = document.getElementById("scheme");
    if (!button) return;
    button.textContent = { "": "◐", light: "☀", dark: "☾" }[scheme];
    button.setAttribute("aria-label", `Colours: ${schemes[scheme]}`);
    button.title = `Colours: ${schemes[scheme]}`;
  }

  function openLinked() {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const linked = id && document.getElementById(id);
    const record = linked && linked.closest("details");
    if (record) { record.open = true; record.scrollIntoView(); }
  }

  // a long page carries only its first record: the others come with the first one that is opened
  let records = null;
  function fillOpened(event) {
    const record = event.target, place = record.closest?.("[data-records]");
    if (!place || !record.open || !record.matches(".failure") || record.querySelector(".variant")) return;
    records = records || new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = place.dataset.records;
      script.onload = () => resolve(window.conformanceRecords);
      script.onerror = reject;
      document.head.append(script);
    });
    const rest = record.querySelector(":scope > p");
    records.then((bodies) => {
      if (!record.querySelector(".variant")) rest.outerHTML = bodies[record.id];
    }, () => { rest.textContent = `${place.dataset.records} is missing beside this page.`; });
  }

  async function copy(button) {
    const text = button.parentElement.querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  paint();
  document.addEventListener("DOMContentLoaded", () => {
    paint();
    openLinked();
    document.getElementById("scheme").addEventListener("click", () => {
      const order = Object.keys(schemes);
      scheme = order[(order.indexOf(scheme) + 1) % order.length];
      store.set(scheme);
      paint();
    });
  });
  window.addEventListener("hashchange", openLinked);
  document.addEventListener("toggle", fillOpened, true);
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    const button = event.target.closest?.(".copy");
    if (button) copy(button);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
})();
