// Replaces parts of pages: results while the reader types, and whole pages when the tree changes.
// Everything works without it, by forms and links.

const main = () => document.getElementById("main");
const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

let pending = null;
/** True while a form is sent: an update of the page must not end that. */
let isSending = false;
/** Ends the requests for sections of a page that is replaced. */
let loading = new AbortController();

/** Loads the page of an address and replaces `<main>`, or the element `id` in it. A newer call ends this one. */
async function replace(address, id, body = null) {
  if (isSending) return;
  isSending = body !== null;
  pending?.abort();
  loading.abort();
  loading = new AbortController();
  const own = (pending = new AbortController());
  try {
    const sent = body ? { method: "POST", body } : {};
    const response = await fetch(address, { ...sent, headers: { "X-Part": "1" }, signal: own.signal });
    if (response.status === 401) return location.reload();
    const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = parsed.getElementById("main");
    if (!fresh || own.signal.aborted) return;
    const focused = marksOf(document.activeElement);
    if (id) {
      const part = fresh.querySelector("#" + id);
      if (!part) return show(fresh.textContent.trim());
      const old = document.getElementById(id);
      if (part && old) old.replaceWith(part);
      for (const name of ["version", "title"]) main().dataset[name] = fresh.dataset[name];
    } else if (fresh.innerHTML !== main().innerHTML) {
      const [x, y] = [scrollX, scrollY];
      const open = [...main().querySelectorAll("details[open][id]")].map((details) => details.id);
      keepLoaded(main(), fresh);
      // What was done stays to be read when the tree changes.
      const done = body ? null : main().querySelector(".done");
      if (done) fresh.querySelector("h1")?.after(done);
      main().replaceWith(fresh);
      open.forEach((name) => document.getElementById(name)?.setAttribute("open", ""));
      scrollTo(x, y);
    } else {
      main().dataset.version = fresh.dataset.version;
    }
    document.title = main().dataset.title;
    focusAgain(focused);
    document.dispatchEvent(new CustomEvent("shown"));
  } catch (error) {
    if (error.name !== "AbortError") show("the server does not answer; is codedb ui running?");
  } finally {
    if (pending === own) pending = null;
    if (body) isSending = false;
  }
}

/** What identifies an element after its part of the page is replaced. */
function marksOf(element) {
  if (!element || !main().contains(element) || element === main()) return null;
  const [id, href, name] = [element.id, element.getAttribute("href"), element.getAttribute("name")];
  return id || href || name ? { id, href, name } : null;
}
/** Gives an element that was replaced the focus again. */
function focusAgain(marks) {
  if (!marks || main().contains(document.activeElement)) return;
  const same = (of) => (marks.id ? of.id === marks.id : marks.href ? of.getAttribute("href") === marks.href : of.getAttribute("name") === marks.name);
  [...main().querySelectorAll("a, button, input, select, textarea")].find(same)?.focus({ preventScroll: true });
}

/** Sections that take long are asked for one by one, after the page is shown. */
function load() {
  for (const section of document.querySelectorAll("section[data-source]:not([data-asked])")) {
    section.dataset.asked = "1";
    fetch(section.dataset.source, { headers: { "X-Part": "1" }, signal: loading.signal })
      .then((response) => response.text())
      .then((text) => {
        const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
        const part = fresh?.querySelector("section") ?? fresh;
        if (!part) return;
        section.replaceChildren(...part.childNodes);
        section.setAttribute("aria-busy", "false");
        if (main().contains(document.activeElement) === false) document.dispatchEvent(new CustomEvent("loaded"));
      })
      .catch((error) => {
        if (error.name !== "AbortError") show("the server does not answer; is codedb ui running?");
      });
  }
}
/** Until a section arrives anew, its former content stays. */
function keepLoaded(old, fresh) {
  for (const section of fresh.querySelectorAll("section[data-source]")) {
    const same = [...old.querySelectorAll("section[data-source]")].find(
      (of) => of.dataset.source === section.dataset.source,
    );
    if (same) section.replaceChildren(...same.childNodes);
  }
}
document.addEventListener("shown", load);
load();

function show(text) {
  const progress = document.getElementById("progress");
  if (progress) progress.textContent = text;
}

/** The address of a form with its values. */
function addressOf(form) {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") values.append(name, value);
  return form.getAttribute("action") + "?" + values;
}

// Forms with `data-live` show their results while the reader types.
function live(event) {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  const address = addressOf(form);
  history.replaceState(null, "", address);
  replace(address, form.dataset.live);
}
document.addEventListener("input", live);
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id === "edit") {
    event.preventDefault();
    edit();
    return;
  }
  if (form.matches("form[data-post]")) {
    event.preventDefault();
    replace(form.getAttribute("action"), null, new URLSearchParams(new FormData(form, event.submitter)));
    return;
  }
  if (!form.matches("form[data-live]")) return;
  event.preventDefault();
  const first = document.querySelector(".hit a");
  if (first) first.focus();
});

// A page that is visible is told when the tree changes; hidden ones look when they are shown again.
let events = null;
function listen() {
  if (document.hidden) {
    events?.close();
    events = null;
  } else if (!events && main()?.dataset.version) {
    events = new EventSource("/events");
    events.addEventListener("version", (event) => {
      const shown = main().dataset.version;
      if (shown !== "0" && shown !== event.data && !hasInput()) replace(location.href, partOf());
    });
    events.addEventListener("progress", (event) => show(event.data));
  }
}
/** What is replaced when the tree changes: the results of a form that the reader uses, else the page. */
function partOf() {
  return document.querySelector("form[data-live]")?.dataset.live;
}
/** True while the reader fills in a form that is sent at the end. */
function hasInput() {
  const active = document.activeElement;
  return active !== null && active.closest("form:not([data-live])") !== null && isTyping(active);
}
document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => events?.close());
listen();

// Keys: n and p step through results, / goes to the query, g and a letter opens a page, ? lists the keys.
let current = -1;
function step(by) {
  const hits = [...document.querySelectorAll(".hit a, tbody a, .tree a, .choices a, #source a.number, .decision button:first-of-type")];
  if (hits.length === 0) return;
  const at = hits.indexOf(document.activeElement);
  const target = hits.findIndex((hit) => hit.closest(".line.target"));
  const from = at >= 0 ? at : current >= 0 ? current : target;
  current = Math.min(Math.max(from + by, 0), hits.length - 1);
  hits[current].focus();
  hits[current].scrollIntoView({ block: "nearest" });
}
let isGoing = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") {
      // A field of type `search` would lose its text.
      event.preventDefault();
      event.target.blur();
    }
    if (event.key === "ArrowDown" && event.target.id === "q") {
      event.preventDefault();
      current = -1;
      step(1);
    }
    return;
  }
  if (isGoing) {
    isGoing = false;
    const link = [...document.querySelectorAll("[data-key]")].find((of) => of.dataset.key === event.key);
    if (link) link.click();
    return;
  }
  if (event.key === "n" || event.key === "j") step(1);
  else if (event.key === "p" || event.key === "k") step(-1);
  else if (event.key === "g") isGoing = true;
  else if (event.key === "e") edit();
  else if (event.key === "d") definitions();
  else if (event.key === "/") {
    event.preventDefault();
    const query = document.getElementById("q");
    if (query) query.select();
    else location.href = "/search";
  } else if (event.key === "?") keys();
});
document.addEventListener("shown", () => (current = -1));

/** Opens the place of the link that has the focus, else that of the page, in the editor. */
async function edit() {
  const form = document.getElementById("edit");
  if (!form) return;
  const values = new URLSearchParams(new FormData(form));
  const link = lastLink?.isConnected ? lastLink : null;
  if (link) {
    const to = new URL(link.href);
    values.set("path", decodeURIComponent(to.pathname.slice("/file/".length)) || values.get("path"));
    values.set("line", to.searchParams.get("line") ?? "1");
  }
  const response = await fetch(form.action, { method: "POST", body: values });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const command = page.querySelector(".command code")?.textContent;
  if (command && response.ok) {
    await navigator.clipboard.writeText(command);
    return show("copied " + command);
  }
  const failure = page.querySelector(".failure, main p");
  show(response.ok ? "opened " + values.get("path") : (failure?.textContent ?? "the editor cannot be started"));
}
/** The last link to a place in a file that had the focus. */
let lastLink = null;
document.addEventListener("focusin", (event) => {
  lastLink = event.target.closest("main a[href^='/file/'], #source a.number") ?? (event.target.closest("#edit") ? lastLink : null);
});

/** Opens a dialog with a title and a list, which is removed when it closes. */
function ask(name, list) {
  const dialog = document.createElement("dialog");
  const title = document.createElement("h2");
  title.textContent = name;
  const form = document.createElement("form");
  form.method = "dialog";
  const close = document.createElement("button");
  close.textContent = "Close";
  form.append(close);
  dialog.append(title, list, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Lists the names in the line that has the focus, or that the page is about, as links to their definitions. */
function definitions() {
  const source = document.getElementById("source");
  const line = document.activeElement?.closest(".line") ?? document.querySelector(".line.target, .line:target");
  if (!source || !line) return show("step to a line with n or p first");
  const texts = [...line.querySelector("code").childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  const names = new Set(texts.flatMap((node) => node.data.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []));
  const list = document.createElement("ul");
  for (const name of names) {
    const [row, link] = [document.createElement("li"), document.createElement("a")];
    link.href = "/symbol?" + new URLSearchParams({ name, from: source.dataset.path });
    link.textContent = name;
    row.append(link);
    list.append(row);
  }
  if (names.size > 0) ask("Names in this line", list);
  else show("this line has no names");
}

function keys() {
  const list = document.createElement("ul");
  const rows = [["/", "search"], ["n, j", "next result"], ["p, k", "previous result"], ["Enter", "open"], ["Esc", "leave a field"]];
  if (document.getElementById("edit")) rows.push(["e", "open in the editor"]);
  if (document.getElementById("source")) rows.push(["d", "definitions of the names in this line"]);
  for (const link of document.querySelectorAll("[data-key]")) rows.push(["g " + link.dataset.key, link.textContent]);
  for (const [key, what] of rows) {
    const row = document.createElement("li");
    const sign = document.createElement("kbd");
    sign.textContent = key;
    row.append(sign, " " + what);
    list.append(row);
  }
  ask("Keys", list);
}

// A name in source leads to its definition.
document.addEventListener("click", (event) => {
  const source = event.target.closest("#source code");
  if (!source || String(getSelection()) !== "") return;
  const at = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const name = at && at.offsetNode.nodeType === Node.TEXT_NODE ? wordAt(at.offsetNode.data, at.offset) : "";
  if (!name) return;
  const path = document.getElementById("source").dataset.path;
  location.href = "/symbol?" + new URLSearchParams({ name, from: path });
});
function wordAt(text, offset) {
  const before = /[\p{L}\p{N}_$]*$/u.exec(text.slice(0, offset))[0];
  const after = /^[\p{L}\p{N}_$]*/u.exec(text.slice(offset))[0];
  const word = before + after;
  return /^[\p{L}_$]/u.test(word) ? word : "";
}

// A section shows more of itself.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-more]");
  const section = link?.closest("section[data-source]");
  if (!section) return;
  event.preventDefault();
  section.dataset.source = link.getAttribute("href");
  delete section.dataset.asked;
  section.setAttribute("aria-busy", "true");
  load();
});

// Who comes back from a link finds it where it was.
document.addEventListener("click", (event) => {
  const link = event.target.closest("main a[href]");
  if (link) history.replaceState({ focus: link.getAttribute("href") }, "");
}, true);
function comeBack() {
  const href = history.state?.focus;
  if (href) [...document.querySelectorAll("main a[href]")].find((link) => link.getAttribute("href") === href)?.focus();
}
document.addEventListener("loaded", comeBack);
comeBack();

// The line of an address without its anchor.
if (!location.hash) document.querySelector(".line.target")?.scrollIntoView({ block: "center" });

// Buttons that copy a command.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = "Copied";
});
