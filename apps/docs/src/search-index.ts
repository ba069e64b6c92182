import { sectionOf } from "./navigation.ts";
import { htmlPathOf, type Page } from "./page.ts";
import { listHeadings, plainText, readBlocks } from "./read-markdown.ts";
import type { Site } from "./render-page.ts";

/** What the search of a page knows of another one. Names are short because there are hundreds of them. */
interface Entry {
  /** Address from the site's root, title, section. */
  readonly p: string;
  readonly t: string;
  readonly s: string;
  /** Headings as pairs of anchor and text. */
  readonly h: readonly (readonly [string, string])[];
  readonly b: string;
}

/** Of long pages the headings tell more than the text does. */
const MAX_TEXT = 2_500;

/** The index as a script, which a page may load where it may not fetch, such as from a disk. */
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
