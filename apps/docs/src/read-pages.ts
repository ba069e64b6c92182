import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "./page.ts";
import { plainText, readBlocks } from "./read-markdown.ts";

/** Pages in the repository root that are published, and their paths on the site. */
const rootPages: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "changelog.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
};
const MAX_SUMMARY = 200;

/** Returns every page of the site, sorted by path. */
export function readPages(root: string): readonly Page[] {
  const written = globSync("docs/**/*.md", { cwd: root }).map(
    (source) => [source, source.slice("docs/".length)] as const,
  );
  return [...written, ...Object.entries(rootPages)]
    .map(([source, path]) => describePage(source, path, readFileSync(join(root, source), "utf8")))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Returns the site path of a repository file, or null if it isn't published. */
export function sitePathOf(source: string): string | null {
  return rootPages[source] ?? (source.startsWith("docs/") ? source.slice("docs/".length) : null);
}

function describePage(source: string, path: string, markdown: string): Page {
  const blocks = readBlocks(markdown);
  const heading = blocks.find((block) => block.type === "heading");
  if (heading === undefined) throw new Error(`${source} has no heading, which is required for its title`);
  const paragraph = blocks.find((block) => block.type === "paragraph");
  const summary = paragraph === undefined ? "" : shorten(plainText([paragraph]));
  return { source, path, markdown, title: plainText([heading]), summary };
}

/** Truncates after a sentence if possible, otherwise after a word. */
function shorten(text: string): string {
  if (text.length <= MAX_SUMMARY) return text;
  const cut = text.slice(0, MAX_SUMMARY);
  const sentence = cut.lastIndexOf(". ");
  return sentence > MAX_SUMMARY / 3 ? cut.slice(0, sentence + 1) : `${cut.slice(0, cut.lastIndexOf(" "))} …`;
}
