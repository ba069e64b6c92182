import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { dayColumns } from "./chart-column.ts";
import { stackRows } from "./stack-series.ts";
import { StackedBars } from "./stacked-bars.tsx";

const columns = dayColumns("2026-11-01T00:00:00Z", "2026-11-04T00:00:00Z", "UTC");
const rows = [
  { day: "2026-11-01", model: "large", value: 30 },
  { day: "2026-11-01", model: "small", value: 10 },
  { day: "2026-11-03", model: "small", value: 5 },
];
const stack = stackRows({
  columns,
  rows,
  columnOf: ({ day }) => day,
  seriesOf: ({ model }) => model,
  valueOf: ({ value }) => value,
});

/** Top of the plot, and the line at its bottom, in a chart of the default height. */
const [TOP, BOTTOM] = [8, 278];

function renderBars(props: Partial<Parameters<typeof StackedBars>[0]> = {}) {
  return render(
    <StackedBars stack={stack} colorOf={(key) => key} label="Calls" format={String} formatTick={String} {...props} />,
  ).container;
}

const attribute = (element: Element, name: string) => Number(element.getAttribute(name));
const barsOf = (container: HTMLElement) =>
  [...container.querySelectorAll("g")].map((group) =>
    [...group.querySelectorAll("rect")].map((bar) => ({
      top: attribute(bar, "y"),
      bottom: attribute(bar, "y") + attribute(bar, "height"),
      color: bar.style.fill,
    })),
  );
const slider = () => screen.getByRole("slider");

test("each segment stands on the one below it, the largest series at the bottom, and the top is the total", () => {
  const [first, second, third] = barsOf(renderBars());
  const [large, small] = first ?? [];
  expect([large?.color, small?.color]).toEqual(["large", "small"]);
  expect(large?.bottom).toBe(BOTTOM - 1);
  // One pixel is free between the segments.
  expect(small?.bottom).toBe((large?.top ?? 0) - 1);
  expect(small?.top).toBe(TOP);
  // Three quarters of the plot belong to three quarters of the total.
  expect(large?.top).toBe(BOTTOM - ((BOTTOM - TOP) * 3) / 4);
  expect([second, third?.length]).toEqual([[], 1]);
});

test("the axis starts at zero and covers the highest total", () => {
  const texts = [...renderBars().querySelectorAll("text")].map(({ textContent }) => textContent);
  expect(texts).toEqual(["0", "10", "20", "30", "40", "1 Nov", "2 Nov", "3 Nov"]);
});

test("the axis covers the totals of the previous period", () => {
  const ticks = [...renderBars({ previous: [100n, null, 0n] }).querySelectorAll('line[stroke-width="1.5"]')];
  expect(ticks.map((tick) => attribute(tick, "y1"))).toEqual([TOP, BOTTOM]);
});

test("the arrow keys read out each column, from the last one", () => {
  renderBars();
  expect(slider().getAttribute("aria-valuetext")).toBe("Tue 3 Nov: 5");
  fireEvent.focus(slider());
  fireEvent.keyDown(slider(), { key: "Home" });
  expect(slider().getAttribute("aria-valuetext")).toBe("Sun 1 Nov: 40, large 30, small 10");
  fireEvent.keyDown(slider(), { key: "ArrowLeft" });
  expect(slider().getAttribute("aria-valuenow")).toBe("1");
  fireEvent.keyDown(slider(), { key: "End" });
  expect(slider().getAttribute("aria-valuenow")).toBe("3");
});

test("the tooltip lists the segments from the top down, with their total and the previous period", () => {
  const container = renderBars({ previous: [100n, null, null], previousLabel: "Week before", isLastOpen: true });
  fireEvent.focus(slider());
  expect(container.querySelector("thead")?.textContent).toBe("Tue 3 Novin progress");
  fireEvent.keyDown(slider(), { key: "Home" });
  const lines = [...container.querySelectorAll("tr")].map(({ textContent }) => textContent);
  expect(lines).toEqual(["Sun 1 Nov", "small10", "large30", "Total40", "Week before100"]);
});

test("a range is selected with the keyboard, the first and the last column included", () => {
  const onRange = vi.fn();
  renderBars({ onRange });
  fireEvent.focus(slider());
  fireEvent.keyDown(slider(), { key: "ArrowLeft", shiftKey: true });
  fireEvent.keyDown(slider(), { key: "Enter" });
  expect(onRange.mock.calls).toEqual([["2026-11-02", "2026-11-03"]]);
});

test("without columns, the chart says so", () => {
  renderBars({ stack: { columns: [], series: [], totals: [], total: 0n } });
  screen.getByText("No data in this range.");
});
