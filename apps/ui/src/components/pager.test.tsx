import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Pager } from "./pager.tsx";

/** Renders the pager and returns the pages that the user went to. */
function renderPager(page: number, total = 25): number[] {
  const pages: number[] = [];
  const meta = { page, pageSize: 10, total, totalPages: Math.ceil(total / 10) };
  render(<Pager meta={meta} what="keys" onPage={(next) => pages.push(next)} />);
  return pages;
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });

test("each page names its first and last row", () => {
  renderPager(1);
  screen.getByText("1 to 10 of 25 keys");
  renderPager(2);
  screen.getByText("11 to 20 of 25 keys");
  renderPager(3);
  screen.getByText("21 to 25 of 25 keys");
});

test("an empty list has no first row", () => {
  renderPager(1, 0);
  screen.getByText("0 to 0 of 0 keys");
});

test("the buttons lead to the page before and after", () => {
  const pages = renderPager(2);
  fireEvent.click(button("Previous"));
  fireEvent.click(button("Next"));
  expect(pages).toEqual([1, 3]);
});

test("there is no page before the first", () => {
  renderPager(1);
  expect([button("Previous").disabled, button("Next").disabled]).toEqual([true, false]);
});

test("there is no page after the last", () => {
  renderPager(3);
  expect([button("Previous").disabled, button("Next").disabled]).toEqual([false, true]);
});

test("a single page has no buttons", () => {
  renderPager(1, 10);
  expect(screen.queryAllByRole("button")).toEqual([]);
});
