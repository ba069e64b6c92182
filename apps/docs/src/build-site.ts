import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeIndexPages } from "./index-pages.ts";
import { writeLlms, writeLlmsFull } from "./llms.ts";
import { planSections } from "./navigation.ts";
import { htmlPathOf, type Page } from "./page.ts";
import { readPages } from "./read-pages.ts";
import { renderPage, type Site } from "./render-page.ts";
import { relativeTo, resolveLink } from "./resolve-link.ts";
import { writeSearchIndex } from "./search-index.ts";

interface BuiltSite {
  readonly pages: number;
  readonly files: number;
  readonly bytes: number;
}

const siteFolder = join(import.meta.dirname, "../site");
/** The server lets browsers cache this folder indefinitely. */
const ASSET_FOLDER = "site/";
const fonts = [
  "@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2",
  "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2",
] as const;

/** Builds the whole site from the repository at `root`. The output is deterministic. */
export function buildSite(root: string, out: string): BuiltSite {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const written = readPages(root);
  const sections = planSections(written);
  const pages = [...written, ...makeIndexPages(sections, written)];
  // Pages also embed or link to other files, such as images and the OpenAPI documents of both APIs.
  const beside = globSync("**/*.{png,svg,jpg,webp,csv,json,yaml,yml}", { cwd: join(root, "docs") }).sort();
  const files = new Map<string, string | Buffer>();
  for (const path of beside) files.set(path, readFileSync(join(root, "docs", path)));
  const assets = addAssets(files, writeSearchIndex(pages, { sections }));
  const site: Site = { version, sections, assets, paths: new Set([...pages.map(({ path }) => path), ...beside]) };
  for (const page of pages) {
    files.set(htmlPathOf(page), renderPage(page, site));
    files.set(page.path, withSiteLinks(page));
  }
  files.set("llms.txt", writeLlms(version, sections));
  files.set("llms-full.txt", writeLlmsFull(version, written));
  writeFiles(out, files);
  const bytes = [...files.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  return { pages: pages.length, files: files.size, bytes };
}

/** Adds styles, scripts, and fonts under content-hashed names. */
function addAssets(files: Map<string, string | Buffer>, searchIndex: string): Site["assets"] {
  const add = (name: string, content: string | Buffer): string => {
    const [stem, ending] = [name.slice(0, name.lastIndexOf(".")), name.slice(name.lastIndexOf("."))];
    const path = `${ASSET_FOLDER}${stem}-${createHash("sha256").update(content).digest("hex").slice(0, 10)}${ending}`;
    files.set(path, content);
    return path;
  };
  const read = (name: string): string => readFileSync(join(siteFolder, name), "utf8");
  const fontNames = fonts.map((path) => {
    const name = path.split("/").at(-1) as string;
    return [name, add(name, readFileSync(join(import.meta.dirname, "../node_modules", path)))] as const;
  });
  const style = fontNames.reduce(
    (text, [name, path]) => text.replace(name, path.replace(ASSET_FOLDER, "")),
    read("style.css"),
  );
  return {
    "style.css": add("style.css", style),
    "theme.js": add("theme.js", read("theme.js")),
    "site.js": add("site.js", read("site.js")),
    "search-index.js": add("search-index.js", searchIndex),
    "icon.svg": add("icon.svg", read("icon.svg")),
  };
}

/** Returns the page as Markdown, with links rewritten to site paths. */
function withSiteLinks(page: Page): string {
  return page.markdown.replaceAll(/\]\(([^)\s]+)\)/g, (link, href: string) => {
    const target = resolveLink(href, page.source);
    if (target.kind !== "site") return link;
    const end = target.anchor === "" ? "" : `#${target.anchor}`;
    return href.startsWith("#") ? link : `](${relativeTo(page, target.path)}${end})`;
  });
}

/**
 * Writes the files and a manifest of their digests. Writes to a sibling folder first, so that a partial site is never
 * served.
 */
function writeFiles(out: string, files: ReadonlyMap<string, string | Buffer>): void {
  const fresh = `${out}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const digests: [string, string][] = [];
  for (const path of [...files.keys()].sort()) {
    const content = Buffer.from(files.get(path) as string | Buffer);
    mkdirSync(dirname(join(fresh, path)), { recursive: true });
    writeFileSync(join(fresh, path), content);
    digests.push([path, `sha384-${createHash("sha384").update(content).digest("base64")}`]);
  }
  writeFileSync(join(fresh, "integrity.json"), `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`);
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
}
