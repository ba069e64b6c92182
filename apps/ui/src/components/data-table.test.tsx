import { fireEvent, render, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Column, DataTable } from "./data-table.tsx";
import type { DataTableProps } from "./data-table-props.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly spend: number;
}

const ROWS: readonly Row[] = [
  { id: "a", name: "ada", spend: 3 },
  { id: "b", name: "bob", spend: 1 },
  { id: "c", name: "cid", spend: 2 },
];

const COLUMNS: readonly Column<Row>[] = [
  { id: "name", header: "Name", sort: "name", cell: ({ name }) => name, footer: "Total" },
  { id: "spend", header: "Spend", sort: "spend", align: "right", cell: ({ spend }) => spend, footer: "6" },
  { id: "note", header: "Note", cell: () => <button type="button">Edit</button> },
];

function renderTable(props: Partial<DataTableProps<Row>> = {}): void {
  render(
    <DataTable
      label="People"
      columns={COLUMNS}
      rows={ROWS}
      rowKey={({ id }) => id}
      card={({ name }) => name}
      empty={<p>No people yet</p>}
      {...props}
    />,
  );
}

const bodyRows = () => screen.getAllByRole("row").slice(1, 1 + ROWS.length);
const cellsOf = (row: HTMLElement) => within(row).getAllByRole("cell");

test("shows each row's values under their headings, and the totals below", () => {
  renderTable();
  expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual(["Name", "Spend", "Note"]);
  expect(bodyRows().map((row) => cellsOf(row).map((cell) => cell.textContent))).toEqual([
    ["ada", "3", "Edit"],
    ["bob", "1", "Edit"],
    ["cid", "2", "Edit"],
  ]);
  expect(cellsOf(screen.getAllByRole("row").at(-1) as HTMLElement).map((cell) => cell.textContent)).toEqual([
    "Total",
    "6",
    "",
  ]);
});

test("without rows, shows the explanation instead of an empty table", () => {
  renderTable({ rows: [] });
  screen.getByText("No people yet");
  expect(screen.queryByRole("table")).toBeNull();
});

test("announces the sorted column and its direction", () => {
  renderTable({ sort: "-spend", onSort: () => {} });
  const sortOf = (name: string) => screen.getByRole("columnheader", { name }).getAttribute("aria-sort");
  expect([sortOf("Name"), sortOf("Spend")]).toEqual([null, "descending"]);
});

test("announces an ascending order", () => {
  renderTable({ sort: "name", onSort: () => {} });
  expect(screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe("ascending");
});

test("a heading sorts by its own column, and reverses the order of the sorted column", () => {
  const onSort = vi.fn();
  renderTable({ sort: "-spend", onSort });
  fireEvent.click(screen.getByRole("button", { name: "Name" }));
  fireEvent.click(screen.getByRole("button", { name: "Spend" }));
  expect(onSort.mock.calls).toEqual([["-name"], ["spend"]]);
});

test("a column without a sort order has no button", () => {
  renderTable({ onSort: () => {} });
  expect(screen.queryByRole("button", { name: "Note" })).toBeNull();
});

test("selecting a row keeps the other selected rows, and clearing it removes only this row", () => {
  const onChange = vi.fn();
  renderTable({ selection: { keys: ["a"], onChange } });
  const boxes = screen.getAllByRole("checkbox", { name: "Select row" });
  fireEvent.click(boxes[2] as HTMLElement);
  expect(onChange.mock.lastCall).toEqual([["a", "c"]]);
  fireEvent.click(boxes[0] as HTMLElement);
  expect(onChange.mock.lastCall).toEqual([[]]);
});

test("the box in the heading selects all rows", () => {
  const onChange = vi.fn();
  renderTable({ selection: { keys: ["a"], onChange } });
  fireEvent.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  expect(onChange.mock.lastCall).toEqual([["a", "b", "c"]]);
});

test("if all rows are selected, the box in the heading clears the selection", () => {
  const onChange = vi.fn();
  renderTable({ selection: { keys: ["a", "b", "c"], onChange } });
  fireEvent.click(screen.getByRole("checkbox", { name: "Select all rows" }));
  expect(onChange.mock.lastCall).toEqual([[]]);
});

test("a click opens its row, but a click on a control inside the row does not", () => {
  const onOpen = vi.fn();
  renderTable({ onOpen });
  fireEvent.click(screen.getByText("bob"));
  fireEvent.click(screen.getAllByRole("button", { name: "Edit" })[0] as HTMLElement);
  expect(onOpen.mock.calls).toEqual([[ROWS[1]]]);
});

test("the arrow keys move between rows, and Enter opens the focused row", () => {
  const onOpen = vi.fn();
  renderTable({ onOpen });
  const [first, second] = bodyRows() as [HTMLElement, HTMLElement];
  first.focus();
  fireEvent.keyDown(first, { key: "ArrowDown" });
  expect(document.activeElement).toBe(second);
  fireEvent.keyDown(second, { key: "Enter" });
  expect(onOpen.mock.calls).toEqual([[ROWS[1]]]);
});

test("only the open row is expanded and marked as current", () => {
  renderTable({ openKey: "b", onOpen: () => {}, expanded: ({ id }) => (id === "b" ? "Details of bob" : null) });
  screen.getByText("Details of bob");
  expect(screen.getAllByRole("row", { current: true }).map((row) => row.dataset.row)).toEqual(["b"]);
});

test("on a small screen, rows are cards that open and can be selected", () => {
  const list = { matches: true, addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal("matchMedia", () => list);
  const [onOpen, onChange] = [vi.fn(), vi.fn()];
  renderTable({ onOpen, selection: { keys: ["b"], onChange } });
  expect(screen.queryByRole("table")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "ada" }));
  fireEvent.click(screen.getAllByRole("checkbox", { name: "Select" })[0] as HTMLElement);
  expect(onOpen.mock.calls).toEqual([[ROWS[0]]]);
  expect(onChange.mock.lastCall).toEqual([["b", "a"]]);
});
