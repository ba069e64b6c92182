import type { Locator, Page } from "@playwright/test";

/** A row of a table on a page: the text of each cell by the header of its column. */
export type TableRow = Readonly<Record<string, string>>;

interface Table {
  readonly rows: readonly TableRow[];
  readonly foot: TableRow | null;
}

/** Reads what a table shows. The first column with a header names the row, as `name`. */
export async function readTable(table: Locator): Promise<Table> {
  await table.waitFor();
  return (await table.evaluate(readTableInPage)) as Table;
}

/** Reads the table with this accessible name. */
export const readNamedTable = (page: Page, label: string): Promise<Table> =>
  readTable(page.getByRole("table", { name: label, exact: true }));

/** Reads the values behind a chart from its table view. */
export async function readChart(page: Page, title: string): Promise<Table> {
  const panel = page.locator("section", { has: page.getByRole("heading", { name: title, exact: true }) }).last();
  await panel.getByRole("button", { name: "Show as table" }).click();
  return readTable(page.getByRole("region", { name: `${title}, as a table` }).locator("table"));
}

/** Reads the key figures of a page: the text of each value by its label. */
export async function readFigures(page: Page): Promise<ReadonlyMap<string, string>> {
  const pairs = (await page.evaluate(FIGURES)) as readonly (readonly [string, string])[];
  return new Map(pairs);
}

/** Reads the visible text of a part of the page in one line. */
export async function readText(part: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: only the visible text, with spaces between blocks, is a figure
  return (await part.innerText()).replaceAll(/\s+/g, " ").trim();
}

/** Script that returns the text of an element, without the parts that no one sees or that only describe a picture. */
const CLEAN = `const clean = (element) => {
  const copy = element.cloneNode(true);
  for (const hidden of copy.querySelectorAll("meter, svg, [aria-hidden=true]")) hidden.remove();
  return copy.textContent.replaceAll(/\\s+/g, " ").trim();
};`;

// A function from text, because the types of elements in a page are not among those of the tests.
const readTableInPage = new Function(
  "table",
  `${CLEAN}
  const heads = [...table.querySelectorAll("thead tr:last-child > *")].map(clean);
  const read = (row) => {
    const cells = [...row.children].map(clean);
    const named = Object.fromEntries(heads.map((head, index) => [head, cells[index] ?? ""]));
    return { ...named, name: cells[heads.findIndex((head) => head !== "")] ?? "" };
  };
  const foot = table.querySelector("tfoot tr");
  return { rows: [...table.querySelectorAll("tbody > tr")].map(read), foot: foot && read(foot) };`,
) as (table: unknown) => unknown;

const FIGURES = `(() => { ${CLEAN}
  return [...document.querySelectorAll("main dl > div")].flatMap((each) => {
    const [label, value] = [each.querySelector("dt"), each.querySelector("dd")];
    return label === null || value === null ? [] : [[clean(label), clean(value)]];
  });
})()`;
