import { expect, test } from "vitest";
import { type Column, droppable, keepColumns, nextSort } from "./table-column.ts";

const column = (id: string, priority?: number): Column<string> => ({
  id,
  header: id,
  cell: (row) => row,
  ...(priority !== undefined && { priority }),
});

const COLUMNS = [column("name", 0), column("team", 2), column("key", 1), column("spend"), column("used", 1)];
const names = (columns: readonly Column<string>[]) => columns.map(({ id }) => id).join(" ");

test("columns are dropped by lowest priority, then from the right, and the row name is never dropped", () => {
  expect(names(droppable(COLUMNS))).toBe("used key team");
});

test("remaining columns preserve their order", () => {
  expect(names(keepColumns(COLUMNS, 0))).toBe("name team key spend used");
  expect(names(keepColumns(COLUMNS, 2))).toBe("name team spend");
  expect(names(keepColumns(COLUMNS, 9))).toBe("name spend");
});

test("a column header sorts descending first, then ascending", () => {
  expect(nextSort(undefined, "spend")).toBe("-spend");
  expect(nextSort("-spend", "spend")).toBe("spend");
  expect(nextSort("spend", "spend")).toBe("-spend");
  expect(nextSort("-name", "spend")).toBe("-spend");
});
