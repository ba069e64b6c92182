/** A source page of the documentation. */
export interface Page {
  /** Path in the repository, such as `docs/guides/credit.md`. */
  readonly source: string;
  /** Path on the site, such as `guides/credit.md`. */
  readonly path: string;
  readonly markdown: string;
  readonly title: string;
  /** First sentences as plain text, for page lists. */
  readonly summary: string;
}

/** Returns the path of the page's HTML file on the site. */
export function htmlPathOf({ path }: Page): string {
  return path.replace(/\.md$/, ".html");
}
