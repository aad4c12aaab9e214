// On every page: the colour scheme, copying of scripts, menus that close, failures that are linked.
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
