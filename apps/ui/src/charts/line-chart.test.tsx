import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { dayColumns } from "./chart-column.ts";
import { LineChart } from "./line-chart.tsx";
import { lineTable, summarizeLines } from "./line-table.ts";
import { Sparkline } from "./sparkline.tsx";

const columns = dayColumns("2026-11-01T00:00:00Z", "2026-11-06T00:00:00Z", "UTC");
const line = (values: readonly (number | null)[]) => ({ key: "p50", label: "p50", values, dash: "solid" }) as const;

function renderLine(values: readonly (number | null)[], props: Partial<Parameters<typeof LineChart>[0]> = {}) {
  return render(<LineChart columns={columns} lines={[line(values)]} label="Duration" format={String} {...props} />)
    .container;
}

/** Returns the parts of the line, each as a list of points. */
function partsOf(container: HTMLElement): readonly (readonly string[])[] {
  const path = container.querySelector("path")?.getAttribute("d") ?? "";
  return path
    .split("M")
    .slice(1)
    .map((part) => part.split("L"));
}

test("a missing value interrupts the line", () => {
  expect(partsOf(renderLine([1, 2, null, 4, 5])).map(({ length }) => length)).toEqual([2, 2]);
});

test("a value without neighbors is drawn as a point", () => {
  const container = renderLine([1, null, 3, null, 5]);
  expect(container.querySelectorAll('circle[r="2.5"]')).toHaveLength(3);
});

test("the axis starts at zero, or slightly below the lowest value if asked", () => {
  const ticksOf = (container: HTMLElement) =>
    [...container.querySelectorAll('text[text-anchor="end"]')]
      .map(({ textContent }) => textContent)
      .filter((text) => !text?.includes("Nov"));
  expect(ticksOf(renderLine([50, 60, 70, 80, 90]))).toEqual(["0", "50", "100"]);
  expect(ticksOf(renderLine([50, 60, 70, 80, 90], { from: "lowest" }))).toEqual(["40", "60", "80", "100"]);
});

test("the lowest value is drawn at the bottom of an axis that starts there, and the highest at its top", () => {
  const [points] = partsOf(renderLine([50, 60, 70, 80, 100], { from: "lowest", height: 122 }));
  const heights = points?.map((point) => Number(point.split(" ")[1]));
  expect([heights?.[0], heights?.at(-1)]).toEqual([100, 8]);
});

test("each column is read out with its value, or as missing", () => {
  renderLine([1, 2, null, 4, 5]);
  const slider = screen.getByRole("slider");
  expect(slider.getAttribute("aria-valuetext")).toBe("Thu 5 Nov: p50 5");
  fireEvent.focus(slider);
  fireEvent.keyDown(slider, { key: "ArrowLeft" });
  fireEvent.keyDown(slider, { key: "ArrowLeft" });
  expect(slider.getAttribute("aria-valuetext")).toBe("Tue 3 Nov: p50 None");
});

test("the table has one row per column, and the summary names the first, last, and highest value", () => {
  const lines = [line([3, 9, null, 4, 5])];
  expect(lineTable(columns, lines, "Day", String).rows.map(([, value]) => value)).toEqual(["3", "9", "", "4", "5"]);
  expect(summarizeLines(columns, lines, "Duration", String)).toBe("Duration: p50 from 3 to 5, highest 9 (Mon 2 Nov).");
});

test("a sparkline has one bar per value, as high as the value", () => {
  const { container } = render(<Sparkline values={[0n, 5n, 10n]} kind="bars" height={16} />);
  const heights = [...container.querySelectorAll("rect")].map((bar) => Number(bar.getAttribute("height")));
  expect(heights).toEqual([1, 8, 15]);
});
