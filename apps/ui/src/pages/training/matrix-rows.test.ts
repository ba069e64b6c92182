import { expect, test } from "vitest";
import { failuresOf, matrixRows } from "./matrix-rows.ts";
import type { Run } from "./run-status.tsx";

const part = (id: string, fields: object) => ({
  id,
  state: "evaluated",
  reason: null,
  slow: false,
  accuracy: 0.5,
  durationMs: 1_200,
  examples: 1_600,
  ...fields,
});
const run = {
  status: "running",
  members: [
    { id: "north", quarantined: false },
    { id: "south", quarantined: true },
  ],
  rounds: [
    {
      round: 1,
      participants: [part("north", {}), part("south", { state: "failed", reason: "no answer within 90 s" })],
    },
    { round: 2, participants: [part("north", { slow: true, accuracy: 0.75 })] },
    { round: 3, participants: [part("north", { state: "training", accuracy: null, durationMs: null })] },
  ],
} as unknown as Run;

test("each participant has one cell per round with its status and failure reason", () => {
  expect(matrixRows(run)).toEqual([
    {
      name: "north",
      note: "1,600 rows",
      cells: [{ state: "ok", detail: "1.2 s" }, { state: "slow", detail: "1.2 s" }, { state: "running" }],
      figure: "0.7500",
    },
    {
      name: "south",
      note: "quarantined",
      cells: [{ state: "failed", detail: "no answer within 90 s" }, { state: "expected" }, { state: "expected" }],
      figure: "0.5000",
    },
  ]);
});

test("an interrupted run has no running cell", () => {
  const [north] = matrixRows({ ...run, status: "interrupted" });
  expect(north?.cells.at(-1)).toEqual({ state: "expected" });
});

test("lists failures newest first", () => {
  expect(failuresOf(run)).toEqual([{ round: 1, id: "south", reason: "no answer within 90 s" }]);
});
