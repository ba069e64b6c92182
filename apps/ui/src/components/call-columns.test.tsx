import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { logColumns } from "./call-columns.tsx";
import { DataTable } from "./data-table.tsx";
import type { Call } from "./logged-call.ts";

const CALL = {
  id: "log_1",
  createdAt: "2026-11-12T23:04:05.678Z",
  class: "succeeded",
  httpStatus: 200,
  errorCode: null,
  model: "large",
  fallbackFrom: null,
  cacheHit: false,
  apiKeyName: "ci",
  apiKeyId: "key_1",
  teamName: null,
  promptTokens: 1_200,
  completionTokens: 34,
  cost: 1_234_567n,
  timeToFirstTokenMs: 250,
  latencyMs: 1_500,
  timing: null,
} as Call;

function readCells(call: Call, zone = "UTC"): readonly (string | null)[] {
  const columns = logColumns(zone, ["strip"]);
  render(
    <DataTable label="Requests" columns={columns} rows={[call]} rowKey={({ id }) => id} card={() => ""} empty="" />,
  );
  const row = screen.getAllByRole("row").at(-1) as HTMLElement;
  return [...row.children].map(({ textContent }) => textContent);
}

test("each column has its own value", () => {
  vi.useFakeTimers({ now: new Date("2026-11-12T23:30:00Z") });
  expect(readCells(CALL)).toEqual([
    "23:04:05.678",
    "200",
    "large",
    "ci",
    "–",
    "1,200",
    "34",
    "$0.001235",
    "250 ms",
    "1.5 s",
  ]);
});

test("a time on another day of the zone has its date", () => {
  vi.useFakeTimers({ now: new Date("2026-11-12T10:00:00Z") });
  expect(readCells(CALL, "Asia/Tokyo")[0]).toBe("13 Nov 08:04:05.678");
});

test("a refused request has a reason, and neither tokens nor a cost", () => {
  const refused = { class: "refused", httpStatus: 429, errorCode: "QUOTA_EXCEEDED", cost: 0n } as const;
  const call: Call = {
    ...CALL,
    ...refused,
    promptTokens: 0,
    completionTokens: 0,
    timeToFirstTokenMs: null,
    latencyMs: 0,
  };
  const [, status, model, , , input, output, cost, first, duration] = readCells(call);
  expect([status, model, input, output, cost, first, duration]).toEqual([
    "429",
    "largeOut of credit",
    "–",
    "–",
    "–",
    "–",
    "<1 ms",
  ]);
});

test("a fallback names the model that was asked for and the one that served", () => {
  expect(readCells({ ...CALL, fallbackFrom: "huge" })[2]).toBe("hugelarge");
});
