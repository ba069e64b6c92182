import { sectionOf } from "./navigation.ts";
import { htmlPathOf, type Page } from "./page.ts";
import { listHeadings, plainText, readBlocks } from "./read-markdown.ts";
import type { Site } from "./render-page.ts";

/** Search entry of a page. Names are short because there are hundreds of entries. */
interface Entry {
  /** URL relative to the site root, title and section. */
  readonly p: string;
  readonly t: string;
  readonly s: string;
  /** Headings as pairs of anchor and text. */
  readonly h: readonly (readonly [string, string])[];
  readonly b: string;
}

/** Maximum indexed text per page. For long pages, the headings are more useful than the text. */
const MAX_TEXT = 2_500;

/** Writes the index as a script, which a page can load even where fetch is blocked, such as from disk. */
export function writeSearchIndex(pages: readonly Page[], site: Pick<Site, "sections">): string {
  const entries: readonly Entry[] = pages.map((page) => ({
    p: htmlPathOf(page),
    t: page.title,
    s: sectionOf(site.sections, page)?.title ?? "",
    h: listHeadings(page.markdown)
      .filter(({ level }) => level > 1)
      .map(({ anchor, text }) => [anchor, text] as const),
    b: plainText(readBlocks(page.markdown)).slice(page.title.length, MAX_TEXT).trim(),
  }));
  return `globalThis.tollgateSearchIndex = ${JSON.stringify(entries)};\n`;
}
