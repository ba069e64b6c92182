import { escapeHtml } from "./escape-html.ts";
import { type Section, sectionOf } from "./navigation.ts";
import { htmlPathOf, type Page } from "./page.ts";
import { listHeadings } from "./read-markdown.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { relativeTo } from "./resolve-link.ts";

export interface Site {
  readonly version: string;
  readonly sections: readonly Section[];
  /** Site paths of all pages and files, which are the valid link targets. */
  readonly paths: ReadonlySet<string>;
  /** Content-hashed paths of styles and scripts, by plain name. */
  readonly assets: Readonly<Record<"style.css" | "theme.js" | "site.js" | "search-index.js" | "icon.svg", string>>;
}

/** Renders a complete page of the site. */
export function renderPage(page: Page, site: Site): string {
  const section = sectionOf(site.sections, page);
  const to = (path: string): string => escapeHtml(relativeTo(page, path));
  const { assets } = site;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.path === "index.md" ? "Tollgate documentation" : `${page.title} · Tollgate`)}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${to(assets["icon.svg"])}">
<link rel="stylesheet" href="${to(assets["style.css"])}">
<link rel="alternate" type="text/markdown" href="${to(page.path)}">
<script src="${to(assets["theme.js"])}"></script>
<script src="${to(assets["site.js"])}" defer></script>
</head>
<body data-root="${to("index.html").replace(/index\.html$/, "")}" data-index="${to(assets["search-index.js"])}" data-markdown="${to(page.path)}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" class="menu-button" aria-expanded="false" aria-controls="menu">Menu</button>
<a class="name" href="${to("index.html")}">Tollgate <span>docs</span></a>
<span class="version">${escapeHtml(site.version)}</span>
<form class="search" role="search">
<label class="hidden" for="search">Search the documentation</label>
<input id="search" type="search" autocomplete="off" placeholder="Search" aria-controls="found" aria-describedby="search-hint">
<span class="hidden" id="search-hint">Results appear below while you type.</span>
<div id="found" class="found" role="region" aria-live="polite" aria-label="Search results" hidden></div>
</form>
<button type="button" class="theme-button" aria-label="Switch between light and dark">Theme</button>
</header>
<div class="frame">
<nav id="menu" class="menu" aria-label="Documentation">
${renderMenu(page, section, site)}
</nav>
<main id="content" tabindex="-1">
<div class="above">
${section === null ? "<span></span>" : `<p class="where">${escapeHtml(section.title)}</p>`}
<p class="page-actions"><button type="button" class="copy-page" hidden>Copy page</button><a href="${to(page.path)}">Open as Markdown</a></p>
</div>
${renderMarkdown(page, site.paths)}
${renderNeighbors(page, section)}
</main>
${renderContents(page)}
</div>
</body>
</html>
`;
}

/**
 * Renders the menu with all sections, but with only the current section's pages. A full menu on every page would make
 * up most of the site's size.
 */
function renderMenu(page: Page, current: Section | null, { sections }: Site): string {
  const items = sections.map((section) => {
    const first = section.pages[0] as Page;
    const entry = section.folder === "" ? htmlPathOf(first) : `${section.folder}/index.html`;
    const link = `<a href="${escapeHtml(relativeTo(page, entry))}"${section === current ? ' class="open"' : ""}>${escapeHtml(section.title)}</a>`;
    if (section !== current) return `<li>${link}</li>`;
    const own = section.pages.map((listed) => {
      const mark = listed.path === page.path ? ' aria-current="page"' : "";
      return `<li><a href="${escapeHtml(relativeTo(page, htmlPathOf(listed)))}"${mark}>${escapeHtml(listed.title)}</a></li>`;
    });
    return `<li>${link}\n<ul>\n${own.join("\n")}\n</ul></li>`;
  });
  return `<ul>\n${items.join("\n")}\n</ul>`;
}

function renderNeighbors(page: Page, section: Section | null): string {
  const pages = section?.pages ?? [];
  const index = pages.findIndex(({ path }) => path === page.path);
  const link = (other: Page | undefined, word: string, rel: string): string =>
    other === undefined
      ? "<span></span>"
      : `<a class="neighbor" rel="${rel}" href="${escapeHtml(relativeTo(page, htmlPathOf(other)))}"><span class="neighbor-word">${word}</span>${escapeHtml(other.title)}</a>`;
  if (index < 0 || pages.length < 2) return "";
  const before = link(pages[index - 1], "Previous", "prev");
  const after = link(pages[index + 1], "Next", "next");
  return `<nav class="neighbors" aria-label="Previous and next page">${before}${after}</nav>`;
}

const FEWEST_HEADINGS = 3;
const MAX_HEADINGS = 60;

function renderContents(page: Page): string {
  const headings = listHeadings(page.markdown).filter(({ level }) => level === 2 || level === 3);
  const shown = headings.length > MAX_HEADINGS ? headings.filter(({ level }) => level === 2) : headings;
  if (shown.length < FEWEST_HEADINGS) return "";
  const items = shown.map(
    ({ level, text, anchor }) =>
      `<li class="level-${level}"><a class="heading-link" href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside class="contents" aria-labelledby="contents-title"><h2 id="contents-title" class="contents-title">On this page</h2>
<ul>
${items.join("\n")}
</ul></aside>`;
}
