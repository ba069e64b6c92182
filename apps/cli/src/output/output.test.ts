import { expect, test } from "vitest";
import { formatCsv } from "./format-csv.ts";
import { type Column, formatTable, formatTsv } from "./format-table.ts";
import { widthOf } from "./printable.ts";
import { stylesFor } from "./styles.ts";

interface Row {
  readonly name: string;
  readonly cost: string;
  readonly id: string;
}

const columns: readonly Column<Row>[] = [
  { header: "NAME", value: ({ name }) => name, priority: 1 },
  { header: "COST", value: ({ cost }) => cost, align: "right" },
  { header: "ID", value: ({ id }) => id, priority: 3 },
];
const rows: readonly Row[] = [
  { name: "日本語のキー", cost: "$1.00", id: "key_1" },
  { name: "evil\x1b[31m\n\u202ename", cost: "$12,000.00", id: "key_2" },
];
const plain = stylesFor({ write: () => true }, {}, false);

test.for([200, 40, 28, 12, 3])(
  "a table in a %i-column terminal never wraps and drops its least important columns first",
  (width) => {
    const lines = formatTable(rows, columns, width, plain).trimEnd().split("\n");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, 1));
    const [head] = lines;
    if (width >= 40) expect(head).toMatch(/NAME +COST +ID/);
    if (width === 28) expect(head).toMatch(/^NAME +COST$/);
    if (width === 12) expect(head).toBe("NAME");
  },
);

test("a name can't send control characters to the terminal or split a row", () => {
  const shown = formatTable(rows, columns, 200, plain) + formatTsv(rows, columns);
  for (const sign of ["\x1b", "\u202e"]) expect(shown).not.toContain(sign);
  expect(formatTsv(rows, columns).split("\n")).toHaveLength(3);
});

test("escapes a cell that a spreadsheet would execute, and leaves numbers unchanged", () => {
  const odd = [{ name: '=HYPERLINK("x")', note: "+1", cost: -5n, list: ["a,b"] }];
  expect(formatCsv(odd, ["name", "note", "cost", "list", "gone"])).toBe(
    'name,note,cost,list,gone\r\n"\'=HYPERLINK(""x"")",\'+1,-5,"[""a,b""]",\r\n',
  );
});

test.for([
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { NO_COLOR: "1" }, false],
  [{ isTTY: true }, { TERM: "dumb" }, false],
  [{}, {}, false],
  [{}, { FORCE_COLOR: "1" }, true],
  [{ isTTY: true }, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
] as const)("a stream %o with %o is colored: %s", ([stream, env, isColoured]) => {
  expect(stylesFor({ write: () => true, ...stream }, env, false).isColoured).toBe(isColoured);
});
