import { expect, test } from "vitest";
import { countTick, durationTick, usdTick } from "./axis-labels.ts";
import { dayColumns, hourColumns } from "./chart-column.ts";
import { plainUsd, toCsv } from "./csv.ts";
import { niceScale } from "./nice-scale.ts";
import { colorsFor } from "./series-colors.ts";
import { spreadLabels } from "./spread-labels.ts";
import { stackRows, stackTable, summarizeStack } from "./stack-series.ts";

const columns = dayColumns("2026-11-01T00:00:00Z", "2026-11-04T00:00:00Z", "UTC");
const stackOf = (rows: readonly { day: string; model: string; cost: bigint }[]) =>
  stackRows({ columns, rows, columnOf: ({ day }) => day, seriesOf: ({ model }) => model, valueOf: ({ cost }) => cost });

test("all series and all days of a stack add up to the same total, and series beyond the seventh are combined as Other", () => {
  const models = Array.from({ length: 12 }, (_, index) => `model-${index}`);
  const rows = models.flatMap((model, index) =>
    columns.map(({ key }, day) => ({ day: key, model, cost: BigInt(index * 1_000 + day + 1) })),
  );
  const stack = stackOf(rows);
  const bySeries = stack.series.reduce((sum, { total }) => sum + total, 0n);
  expect(stack.series.map(({ label }) => label)).toEqual([
    "model-11",
    "model-10",
    "model-9",
    "model-8",
    "model-7",
    "model-6",
    "model-5",
    "Other",
  ]);
  expect(bySeries).toBe(stack.total);
  expect(rows.reduce((sum, { cost }) => sum + cost, 0n)).toBe(stack.total);
});

test("omits a series of zeros unless it is the only series, and labels an unnamed series as not recorded", () => {
  const day = columns[0]?.key ?? "";
  const rows = [
    { day, model: "", cost: 2n },
    { day, model: "free", cost: 0n },
  ];
  expect(stackOf(rows).series.map(({ label }) => label)).toEqual(["Not recorded"]);
  expect(stackOf(rows.slice(1)).series.map(({ label }) => label)).toEqual(["free"]);
});

test("excludes rows outside the columns, so that bars and totals agree", () => {
  const stack = stackOf([
    { day: "2026-11-02", model: "a", cost: 5n },
    { day: "2026-12-24", model: "a", cost: 7n },
  ]);
  expect(stack.total).toBe(5n);
  expect(stack.totals).toEqual([0n, 5n, 0n]);
});

test("amounts beyond the float range stay exact to the nano-USD", () => {
  const huge = 9_007_199_254_740_993n;
  expect(stackOf([{ day: "2026-11-01", model: "a", cost: huge }]).total).toBe(huge);
});

test("the summary names the range, total, peak column, and largest share", () => {
  const stack = stackOf([
    { day: "2026-11-01", model: "a", cost: 2n },
    { day: "2026-11-03", model: "b", cost: 5n },
  ]);
  expect(summarizeStack(stack, "Spend by day", String)).toBe(
    "Spend by day, Sun 1 Nov to Tue 3 Nov: 7 in total; peak Tue 3 Nov, 5; largest share b, 5.",
  );
  expect(summarizeStack(stackOf([]), "Spend by day", String)).toBe("Spend by day: no data in this range.");
});

test("the table has one row per day and matching totals", () => {
  const table = stackTable(stackOf([{ day: "2026-11-01", model: "a", cost: 2n }]), "Day", String);
  expect(table.head).toEqual(["Day", "a", "Total"]);
  expect(table.rows[0]).toEqual(["Sun 1 Nov", "2", "2"]);
  expect(table.foot).toEqual(["Total", "2", "2"]);
  const file = stackTable(stackOf([{ day: "2026-11-01", model: "a", cost: 2n }]), "Day", plainUsd, "key");
  expect(file.rows[0]).toEqual(["2026-11-01", "0.000000002", "0.000000002"]);
});

test("day columns follow the time zone, including clock changes", () => {
  // The range is from midnight on October 24 to midnight on October 27 in Berlin, where October 25 has 25 hours.
  const days = dayColumns("2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z", "Europe/Berlin");
  expect(days.map(({ key }) => key)).toEqual(["2026-10-24", "2026-10-25", "2026-10-26"]);
  expect(days[0]).toMatchObject({ long: "Sat 24 Oct", short: "24 Oct", tiny: "24" });
});

test("hour columns start on the time zone's hours", () => {
  const hours = hourColumns("2026-11-12T10:00:00Z", "2026-11-12T12:00:00Z", "Asia/Kathmandu");
  expect(hours[0]).toMatchObject({ key: "2026-11-12T09:15:00.000Z", short: "15:00" });
});

test("an entity always has the same color, and all entities after the seventh share one color", () => {
  const colorOf = colorsFor(["a", "b", "c", "d", "e", "f", "g", "h"]);
  expect(colorOf("a")).toBe("var(--color-c1)");
  expect(colorOf("g")).toBe("var(--color-c7)");
  expect(colorOf("h")).toBe("var(--color-c8)");
  expect(colorOf("never seen")).toBe("var(--color-c8)");
});

test("an axis has round steps and few lines, and covers the maximum", () => {
  expect(niceScale(23.4).ticks).toEqual([0, 5, 10, 15, 20, 25]);
  expect(niceScale(0.9225, { lowest: 0.25, lines: 4 }).ticks).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
  expect(niceScale(0)).toEqual({ min: 0, max: 1, ticks: [0] });
  for (const highest of [1, 3, 7, 12, 99, 101, 4_999, 238_312_887_040]) {
    const { ticks, max } = niceScale(highest);
    expect(max).toBeGreaterThanOrEqual(highest);
    expect(ticks.length).toBeLessThanOrEqual(7);
  }
});

test("tick labels are short", () => {
  expect([0, 5e9, 2.5e8, 1e12].map(usdTick)).toEqual(["$0", "$5", "$0.25", "$1,000"]);
  expect([0, 60_000_000].map(countTick)).toEqual(["0", "60M"]);
  expect([0, 250, 2_500].map(durationTick)).toEqual(["0", "250 ms", "2.5 s"]);
});

test("a CSV file has plain numbers and no cell that a spreadsheet would execute", () => {
  expect(plainUsd(-1_234_000_000_001n)).toBe("-1234.000000001");
  const text = toCsv({
    head: ["Key", "Cost"],
    rows: [
      ["=HYPERLINK(1)", "-1.5"],
      ['say "hi", you', "2"],
    ],
  });
  expect(text).toBe('Key,Cost\r\n\'=HYPERLINK(1),-1.5\r\n"say ""hi"", you",2\r\n');
});

test("line labels preserve their order and never overlap", () => {
  expect(spreadLabels([100, 102, 40], { gap: 12, top: 0, bottom: 110 })).toEqual([98, 110, 40]);
  const crowded = spreadLabels([5, 5, 5], { gap: 12, top: 0, bottom: 100 });
  expect(crowded).toEqual([5, 17, 29]);
});
