import { posix } from "node:path";
import type { Section } from "./navigation.ts";
import type { Page } from "./page.ts";

/** Creates an index page for each section that has no hand-written index page. */
export function makeIndexPages(sections: readonly Section[], pages: readonly Page[]): readonly Page[] {
  const written = new Set(pages.map(({ path }) => path));
  return sections
    .filter(({ folder }) => folder !== "" && !written.has(`${folder}/index.md`))
    .map(({ title, folder, pages: own }) => {
      const path = `${folder}/index.md`;
      const rows = own.map((page) => `- [${page.title}](${posix.relative(folder, page.path)})${summaryOf(page)}`);
      return {
        source: `docs/${path}`,
        path,
        title,
        summary: `Pages in this section: ${own.map((page) => page.title).join(", ")}.`.slice(0, 200),
        markdown: `# ${title}\n\n${rows.join("\n")}\n`,
      };
    });
}

function summaryOf({ summary }: Page): string {
  // The summary is plain text, and the index page is rendered as Markdown, so special characters are escaped.
  return summary === "" ? "" : `: ${summary.replaceAll(/([<>*_`[\]|\\])/g, "\\$1")}`;
}
