// Adds search, menu, theme, and copy buttons. Pages are readable without this script.
const { root, index, markdown } = document.body.dataset;

const theme = document.querySelector(".theme-button");
theme.addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("tollgate.theme", dataset.theme);
  } catch {
    // Without storage, the choice applies only to this page.
  }
});

const menuButton = document.querySelector(".menu-button");
const menu = document.querySelector("#menu");
const openMenu = (isOpen) => {
  menuButton.setAttribute("aria-expanded", String(isOpen));
  menu.classList.toggle("shown", isOpen);
};
menuButton.addEventListener("click", () => openMenu(menuButton.getAttribute("aria-expanded") !== "true"));

/** Copies the text and briefly confirms it on the button. */
async function copy(button, text) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy";
  }
  setTimeout(() => {
    button.textContent = said;
  }, 1500);
}

/** Returns the text to copy from a code block. From a terminal session, only the commands without their output. */
function commandsOf(block) {
  const text = block.querySelector("code").textContent;
  if (block.querySelector(".language")?.textContent !== "console") return text;
  const commands = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isFirst = line.startsWith("$ ");
    if (isFirst || isOpen) commands.push(isFirst ? line.slice(2) : line);
    isOpen = (isFirst || isOpen) && line.endsWith("\\");
  }
  return `${commands.join("\n")}\n`;
}

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy code");
  button.addEventListener("click", () => copy(button, commandsOf(block)));
  block.append(button);
}

const copyPage = document.querySelector(".copy-page");
if (location.protocol !== "file:") {
  copyPage.hidden = false;
  copyPage.addEventListener("click", async () => {
    const answer = await fetch(markdown);
    await copy(copyPage, await answer.text());
  });
}

const box = document.querySelector("#search");
const found = document.querySelector("#found");
const MOST_RESULTS = 12;
let loading = null;

/** Loads the search index on the first search, because it is large. */
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = index;
    script.addEventListener("load", () => resolve(globalThis.tollgateSearchIndex));
    script.addEventListener("error", reject);
    document.head.append(script);
  });
  return loading;
}

/** Returns the rank of a page by where the search words occur; 0 if a word is missing. */
function score(entry, words) {
  const title = entry.t.toLowerCase();
  const headings = entry.h.map(([, text]) => text.toLowerCase());
  const body = entry.b.toLowerCase();
  let total = 0;
  for (const word of words) {
    let points = 0;
    if (title.includes(word)) points += title === word ? 40 : 20;
    if (headings.some((heading) => heading.includes(word))) points += 8;
    if (body.includes(word)) points += 3;
    if (entry.p.includes(word)) points += 2;
    if (points === 0) return 0;
    total += points;
  }
  return total;
}

function excerpt(entry, words) {
  const at = Math.max(0, entry.b.toLowerCase().indexOf(words[0]));
  const from = Math.max(0, at - 40);
  return `${from > 0 ? "… " : ""}${entry.b.slice(from, from + 140)} …`;
}

function show(entries, words) {
  const hits = entries
    .map((entry) => ({ entry, points: score(entry, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .slice(0, MOST_RESULTS);
  found.replaceChildren();
  found.hidden = words.length === 0;
  if (words.length > 0 && hits.length === 0) found.append(`Nothing has “${words.join(" ")}”.`);
  const list = document.createElement("ul");
  for (const { entry } of hits) {
    const heading = entry.h.find(([, text]) => words.every((word) => text.toLowerCase().includes(word)));
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${root}${entry.p}${heading ? `#${heading[0]}` : ""}`;
    const title = document.createElement("strong");
    title.textContent = heading ? `${entry.t} › ${heading[1]}` : entry.t;
    const text = document.createElement("span");
    text.textContent = `${entry.s === "" ? "" : `${entry.s} · `}${excerpt(entry, words)}`;
    link.append(title, text);
    item.append(link);
    list.append(item);
  }
  if (hits.length > 0) found.append(list);
}

async function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return show([], words);
  show(await loadIndex(), words);
}

box.addEventListener("focus", () => void loadIndex());
box.addEventListener("input", () => void search());
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    found.hidden = true;
    openMenu(false);
  }
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    box.focus();
  }
  if (!found.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    const links = [...found.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    (links[next] ?? box).focus();
  }
});
document.addEventListener("click", (event) => {
  if (!found.contains(event.target) && event.target !== box) found.hidden = true;
});
