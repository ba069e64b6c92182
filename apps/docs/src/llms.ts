import type { Section } from "./navigation.ts";
import type { Page } from "./page.ts";

const intro = `# Tollgate

> An OpenAI-compatible inference gateway with built-in billing: one URL and one key for every model, prepaid credit that is held before a request and charged once after it, and a double-entry ledger that you can verify with one command.
`;

/** Returns the page list for language models. Each page is also available as Markdown next to its HTML. */
export function writeLlms(version: string, sections: readonly Section[]): string {
  const lists = sections.map(({ title, pages }) => {
    const rows = pages.map(
      (page) => `- [${page.title}](${page.path})${page.summary === "" ? "" : `: ${page.summary}`}`,
    );
    return `## ${title}\n\n${rows.join("\n")}\n`;
  });
  return [
    `${intro}\nDocumentation for version ${version}. For all pages in one file, see [llms-full.txt](llms-full.txt).\n`,
    ...lists,
  ].join("\n");
}

/** Returns the Markdown of all pages as one string. */
export function writeLlmsFull(version: string, pages: readonly Page[]): string {
  const whole = pages.map(({ path, markdown }) => `<!-- ${path} -->\n\n${markdown.trim()}\n`);
  return [`${intro}\nVersion ${version}.\n`, ...whole].join("\n");
}
