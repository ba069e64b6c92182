import { sectionOf } from "./navigation.ts";
import { htmlPathOf, type Page } from "./page.ts";
import { listHeadings, plainText, readBlocks } from "./read-markdown.ts";
import type { Site } from "./render-page.ts";

/** A page's entry in the search index. Field names are short because the index has hundreds of entries. */
interface Entry {
  /** `p` is the page's URL relative to the site root, `t` is its title, and `s` is its section. */
  readonly p: string;
  readonly t: string;
  readonly s: string;
  /** The page's headings, each as a pair of anchor and text. */
  readonly h: readonly (readonly [string, string])[];
  readonly b: string;
}

/** Maximum length of the indexed text per page. For long pages, the headings are more useful than the text. */
const MAX_TEXT = 2_500;

/**
 * Writes the index as a script. A page can load a script even where fetch is blocked, for example if the page was
 * opened from disk.
 */
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
