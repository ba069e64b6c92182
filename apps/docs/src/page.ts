/** A page of the documentation, as it is written. */
export interface Page {
  /** Where it is in the repository, such as `docs/guides/credit.md`. */
  readonly source: string;
  /** Where it is on the site, such as `guides/credit.md`. */
  readonly path: string;
  readonly markdown: string;
  readonly title: string;
  /** Its first sentences, as plain text, for lists of pages. */
  readonly summary: string;
}

/** The same page as the site shows it. */
export function htmlPathOf({ path }: Page): string {
  return path.replace(/\.md$/, ".html");
}
