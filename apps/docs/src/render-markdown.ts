import { Marked, Renderer, type Tokens } from "marked";
import { escapeHtml } from "./escape-html.ts";
import type { Page } from "./page.ts";
import { createAnchors, plainText } from "./read-markdown.ts";
import { relativeTo, resolveLink } from "./resolve-link.ts";

/** Renders the page as HTML without scripts or styles. Tables are scrollable, and links point to site pages. */
export function renderMarkdown(page: Page, sitePaths: ReadonlySet<string>): string {
  const marked = new Marked({ gfm: true });
  marked.use({ renderer: createRenderer(page, sitePaths) });
  return marked.parse(page.markdown, { async: false });
}

function createRenderer(page: Page, sitePaths: ReadonlySet<string>): Renderer {
  const nameAnchor = createAnchors();
  const renderer = new Renderer();
  const plain = { table: renderer.table };

  renderer.heading = function ({ tokens, depth }: Tokens.Heading) {
    const text = plainText(tokens);
    const anchor = nameAnchor(text);
    const inner = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`;
    const label = escapeHtml(`Link to “${text}”`);
    return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`;
  };
  renderer.table = function (token: Tokens.Table) {
    return `<div class="table" role="region" aria-label="Table" tabindex="0">${plain.table.call(this, token)}</div>\n`;
  };
  renderer.code = ({ text, lang }: Tokens.Code) => {
    const [language = "", ...words] = (lang ?? "").split(/\s+/);
    const name = words.includes("expected") ? "output" : language;
    const label = name === "" || name === "text" ? "" : `<span class="language">${escapeHtml(name)}</span>`;
    return `<div class="code">${label}<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>\n`;
  };
  renderer.link = function ({ href, tokens }: Tokens.Link) {
    const inner = this.parser.parseInline(tokens);
    const address = siteAddress(href, page, sitePaths);
    return address === null ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
  };
  renderer.image = ({ href, text }: Tokens.Image) => {
    const target = resolveLink(href, page.source);
    // Pages must not load external resources.
    if (target.kind !== "site" || !sitePaths.has(target.path)) return escapeHtml(text);
    return `<img src="${escapeHtml(relativeTo(page, target.path))}" alt="${escapeHtml(text)}" loading="lazy">`;
  };
  // Raw HTML, such as other tools' markers, is dropped, except for a few harmless tags.
  renderer.html = ({ text }: Tokens.HTML | Tokens.Tag) =>
    /^<(?:br|\/?(?:kbd|sub|sup))\s*\/?>$/.test(text) ? text : "";
  return renderer;
}

/**
 * Returns the relative URL of a link's target. Returns null if the target isn't on the site, in which case the link is
 * rendered as plain text.
 */
function siteAddress(href: string, page: Page, sitePaths: ReadonlySet<string>): string | null {
  const target = resolveLink(href, page.source);
  if (target.kind === "elsewhere") return href;
  if (target.kind === "repository" || !sitePaths.has(target.path)) return null;
  const end = target.anchor === "" ? "" : `#${target.anchor}`;
  if (target.path === page.path && end !== "") return end;
  return `${relativeTo(page, target.path.replace(/\.md$/, ".html"))}${end}`;
}
