import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { dayColumns } from "../../charts/chart-column.ts";
import { answerApi } from "../../testing/answer-api.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { watchDownloads } from "../../testing/watch-downloads.fixture.ts";
import { UsageTable } from "./usage-table.tsx";
import type { UsageReport, UsageRow } from "./usage-view.ts";
import { type Names, useNames } from "./use-names.ts";
import type { Usage } from "./use-usage.ts";

const columns = dayColumns("2026-11-01T00:00:00Z", "2026-11-03T00:00:00Z", "UTC");
const row = (model: string, day: string, cost: bigint, requests: number): UsageRow => ({
  group: { model, day },
  requests,
  succeeded: requests - 1,
  failed: 1,
  refused: 0,
  rejected: 0,
  canceled: 0,
  errorRate: null,
  promptTokens: 100,
  cachedTokens: 30,
  completionTokens: 7,
  reasoningTokens: 0,
  cost,
  avgCost: cost,
  cacheHitRate: 0.3,
  cacheSaved: 250_000_000n,
  p50LatencyMs: null,
  p95LatencyMs: null,
  p99LatencyMs: null,
  usd: {},
});
const report: UsageReport = {
  data: [
    row("large", "2026-11-01", 6_000_000_000n, 2),
    row("small", "2026-11-01", 1_000_000_000n, 40),
    row("large", "2026-11-02", 3_000_000_000n, 1),
  ],
  totals: row("", "", 10_000_000_000n, 43),
  meta: { startDate: "2026-11-01T00:00:00Z", endDate: "2026-11-03T00:00:00Z", timezone: "UTC", dataUntil: "" },
};
const usage: Usage = { report, grouping: "day", dimension: "model", columns };
const names = {
  nameOf: (_, key) => key,
  entityOf: (dimension, { group }) => (dimension === "key" ? group.apiKey : group.model) ?? "",
} as Names;

const none = () => {};
const tableProps: Parameters<typeof UsageTable>[0] = {
  usage,
  filter: { startDate: "2026-11-01T00:00:00Z" },
  measure: "spend",
  names,
  colorOf: () => "red",
  sort: "",
  onSort: none,
  open: "",
  onOpen: none,
  hidden: ["course"],
  onHidden: none,
};

async function renderTable(props: Partial<Parameters<typeof UsageTable>[0]> = {}): Promise<void> {
  await renderConsole(<UsageTable {...tableProps} {...props} />);
}

function TableWithNames(props: Omit<Parameters<typeof UsageTable>[0], "names">) {
  return <UsageTable {...props} names={useNames()} />;
}

function readRows(dimension = "model") {
  const table = screen.getByRole("table", { name: `Usage by ${dimension}` });
  return within(table)
    .getAllByRole("row")
    .map((each) => [...each.children].map(({ textContent }) => textContent));
}

test("sums each entity over all columns, the most expensive first, with totals and shares", async () => {
  await renderTable();
  expect(readRows()).toEqual([
    [
      ...["Model", "Requests", "Failed", "Error rate", "Input", "Cached", "Output"],
      ...["Cache hit rate", "Cache savings", "Spend", "Share"],
    ],
    ["large", "3", "2", "66.67%", "140", "60", "14", "30.0%", "$0.50", "$9.00", "90.0%"],
    ["small", "40", "1", "2.50%", "70", "30", "7", "30.0%", "$0.25", "$1.00", "10.0%"],
    ["Total, 2 models", "43", "3", "6.98%", "210", "90", "21", "30.0%", "$0.75", "$10.00", "100%"],
  ]);
});

test("the total doesn't count requests without a known model as one", async () => {
  const unknown = row("", "2026-11-02", 0n, 5);
  await renderTable({ usage: { ...usage, report: { ...report, data: [...report.data, unknown] } } });
  expect(readRows().map(([name]) => name)).toEqual(["Model", "large", "small", "", "Total, 2 models"]);
});

test("requests without a session, and all sessions but the first, have rows that are no sessions and have no ID", async () => {
  const of = (session: string, cost: bigint) => ({ ...row("", "", cost, 2), group: { session, day: "2026-11-01" } });
  const data = [of("task-7", 5_000_000_000n), of("", 3_000_000_000n), { ...of("", 2_000_000_000n), isOther: true }];
  const meta = { total: 0, page: 1, pageSize: 100, totalPages: 0 };
  answerApi({ listApiKeys: { data: [], meta }, listTeams: { data: [], meta } });
  const downloads = watchDownloads();
  await renderConsole(
    <TableWithNames {...tableProps} usage={{ ...usage, dimension: "session", report: { ...report, data } }} />,
  );
  expect(readRows("session").map(([name]) => name)).toEqual([
    "Session",
    "task-7",
    "No session",
    "Other sessions",
    "Total, 1 session",
  ]);
  expect(screen.queryByRole("button", { name: "task-7" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "CSV" }));
  const file = (await downloads[0]?.content.text()) ?? "";
  const names = file
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(",").slice(0, 2));
  expect(names).toEqual([
    ["Session", "ID"],
    ["task-7", "task-7"],
    ["No session", ""],
    ["Other sessions", ""],
  ]);
});

test("sorts by any column, in both directions", async () => {
  await renderTable({ sort: "-requests" });
  expect(readRows().map(([name]) => name)).toEqual(["Model", "small", "large", "Total, 2 models"]);
});

test("sorts upward", async () => {
  await renderTable({ sort: "requests" });
  expect(readRows().map(([name]) => name)).toEqual(["Model", "large", "small", "Total, 2 models"]);
});

test("a click on a heading asks for its order", async () => {
  const onSort = vi.fn();
  await renderTable({ onSort });
  fireEvent.click(screen.getByRole("button", { name: "Spend" }));
  fireEvent.click(screen.getByRole("button", { name: "Output" }));
  expect(onSort.mock.calls).toEqual([["spend"], ["-output"]]);
});

test("an entity expands into its parts, with shares of the whole", async () => {
  const parts = [{ ...row("", "", 6_000_000_000n, 2), group: { apiKey: "ci" } }];
  const sent = answerApi({ getUsage: { ...report, data: parts } });
  await renderTable({ open: "large" });
  await waitFor(() => expect(readRows()).toHaveLength(5));
  expect(readRows()[2]).toEqual(["ci", "2", "1", "50.00%", "70", "30", "7", "30.0%", "$0.25", "$6.00", "60.0%"]);
  expect(sent[0]?.query.toString()).toBe("startDate=2026-11-01T00%3A00%3A00Z&model=large&groupBy=apiKey");
});

test("the file has exact amounts and every column", async () => {
  const downloads = watchDownloads();
  await renderTable();
  fireEvent.click(screen.getByRole("button", { name: "CSV" }));
  expect(await downloads[0]?.content.text()).toBe(
    "Model,ID,Requests,Succeeded,Failed,Refused,Rejected,Canceled,Input tokens,Cached input tokens,Output tokens,Cache savings USD,Spend USD,Share of spend\r\n" +
      "large,large,3,1,2,0,0,0,140,60,14,0.500000000,9.000000000,0.9\r\n" +
      "small,small,40,39,1,0,0,0,70,30,7,0.250000000,1.000000000,0.1\r\n",
  );
});

test("without data, the table says so", async () => {
  await renderTable({ usage: { ...usage, report: { ...report, data: [] } } });
  screen.getByText("No data in this range.");
});
