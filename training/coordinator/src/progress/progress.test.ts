import { waitFor } from "@tollgate/training-testkit/wait-for.ts";
import { expect, test } from "vitest";
import type { RoundSummary, RunEvent } from "../run-events.ts";
import { LiveTable } from "./live-table.ts";
import { createPaint } from "./paint.ts";
import { runEnding } from "./run-lines.ts";
import { showProgress } from "./show-progress.ts";

const ESCAPE = "\u001b";
const at = "2026-11-15T14:00:00.000Z";
const plain = createPaint(false, {});
const started: RunEvent = {
  at,
  type: "run.started",
  run: "tr_01J",
  name: "demo",
  dir: "/runs/tr_01J",
  rounds: 5,
  method: "fedavg",
  participants: ["p1", "p2", "p3"].map((id) => ({ id, url: "http://127.0.0.1:5000", roles: ["train", "evaluate"] })),
};

function summary(over: Partial<RoundSummary>): RoundSummary {
  return {
    round: 1,
    rounds: 5,
    durationMs: 1_200,
    trained: 3,
    selected: 3,
    evaluated: 3,
    evaluators: 3,
    accuracy: 0.412,
    min: 0.39,
    max: 0.431,
    score: 0.412,
    best: true,
    sha256: null,
    failures: [],
    ...over,
  };
}

function record(events: readonly RunEvent[], env: NodeJS.ProcessEnv = {}): string {
  const pieces: string[] = [];
  const screen = { write: (piece: string) => pieces.push(piece), size: null };
  const progress = showProgress(screen, createPaint(false, env), { isLocal: true });
  for (const event of events) progress.onEvent(event);
  progress.close();
  return pieces.join("");
}

test("without a terminal, prints a heading and one line per round, with failures on the right", () => {
  const failures = [{ participant: "p2", reason: "timeout 3 s" }];
  const text = record([
    started,
    { at, type: "round.committed", ...summary({}) },
    {
      ...{ at, type: "round.committed" },
      ...summary({
        round: 3,
        trained: 2,
        evaluated: 2,
        accuracy: 0.701,
        min: 0.69,
        max: 0.712,
        durationMs: 3_000,
        failures,
      }),
    },
  ]);
  expect(text).toBe(`
  run tr_01J · 3 local participants · 5 rounds · aggregate: mean

  round  train      evaluate   accuracy  (min–max)        time
  1/5    3/3 ok     3/3 ok     0.412     0.390–0.431      1.2 s   ▄
  3/5    2/3 ok     2/3 ok     0.701     0.690–0.712      3.0 s   ▆   p2: timeout 3 s
`);
});

test("the last lines show the run's result and the location of its files", () => {
  const finished = {
    type: "run.finished",
    reason: "rounds",
    rounds: 5,
    durationMs: 7_500,
    firstAccuracy: 0.412,
    lastAccuracy: 0.802,
    bestRound: 5,
    bestScore: 0.802,
    finalRound: 5,
    sha256: "ab",
    finalFile: "final.f32",
    finalBase64File: "final.b64",
  } as const;
  const files = { dir: "runs/tr_01J", run: "tr_01J", finalFile: "final.f32", hasAccuracy: true };
  expect(runEnding(finished, { ...files, width: 60 }, plain)).toBe(`
✓ accuracy 0.412 → 0.802 in 7.5 s · best round 5
  history  runs/tr_01J/history.jsonl
  model    runs/tr_01J/final.b64
  report   runs/tr_01J/report.html
  chart    runs/tr_01J/accuracy.svg
  view     tollgate train plot tr_01J
  raw      runs/tr_01J/final.f32`);
  expect(runEnding(finished, { ...files, width: 80 }, plain)).toBe(`
✓ accuracy 0.412 → 0.802 in 7.5 s · best round 5
  history  runs/tr_01J/history.jsonl   chart  runs/tr_01J/accuracy.svg
  model    runs/tr_01J/final.b64       view   tollgate train plot tr_01J
  report   runs/tr_01J/report.html     raw    runs/tr_01J/final.f32`);
});

test("accuracies outside the range 0 to 1, such as negative losses, are scaled between the lowest and highest values so far", () => {
  const round = (number: number, accuracy: number): RunEvent => ({
    ...{ at, type: "round.committed" },
    ...summary({ round: number, accuracy, min: accuracy, max: accuracy }),
  });
  const lines = record([started, round(1, -3), round(2, -1), round(3, -2.9)])
    .trimEnd()
    .split("\n")
    .slice(-3);
  expect(lines.map((line) => line.at(-1))).toEqual(["▅", "█", "▁"]);
});

test("text from a participant cannot move the cursor, color the screen, or start a new line", () => {
  const reason = "\u001b[2Jgone\r\n\u202eevil";
  const text = record([
    started,
    { at, type: "round.committed", ...summary({ failures: [{ participant: "p1", reason }] }) },
  ]);
  expect(text.trimEnd().split("\n").at(-1)).toMatch(/p1: \[2Jgone evil$/);
  expect([ESCAPE, "\r", "\u202e"].filter((character) => text.includes(character))).toEqual([]);
});

test("a terminal or FORCE_COLOR enables colors, and NO_COLOR or a dumb terminal disables them", () => {
  const isColoured = (isTerminal: boolean, env: NodeJS.ProcessEnv) => createPaint(isTerminal, env).good("x") !== "x";
  expect(isColoured(true, {})).toBe(true);
  expect(isColoured(false, {})).toBe(false);
  expect(isColoured(false, { FORCE_COLOR: "1" })).toBe(true);
  expect(isColoured(true, { NO_COLOR: "1" })).toBe(false);
  expect(isColoured(true, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false);
  expect(isColoured(true, { TERM: "dumb" })).toBe(false);
});

test("the live table shows each participant's work and the estimated remaining time", () => {
  const table = new LiveTable();
  const second = (seconds: number) => new Date(Date.parse(at) + seconds * 1_000).toISOString();
  const events: RunEvent[] = [
    started,
    { at: second(0), type: "round.started", round: 1, rounds: 5, attempt: 1, selected: ["p1", "p2", "p3"], quorum: 2 },
    { at: second(4), type: "round.committed", ...summary({ durationMs: 4_000 }) },
    { at: second(4), type: "round.started", round: 2, rounds: 5, attempt: 1, selected: ["p1", "p2"], quorum: 2 },
    { at: second(4), type: "participant.state", round: 2, participant: "p1", state: "training" },
    {
      ...{ at: second(5), type: "participant.progress", round: 2, participant: "p1", phase: "train" },
      step: 3,
      total: 5,
      metrics: { loss: 0.25 },
    },
    {
      ...{ at: second(5), type: "participant.failed", round: 2, participant: "p2", phase: "train" },
      reason: "connection refused",
      code: "UNREACHABLE",
      attempts: 3,
      quarantined: false,
    },
  ];
  for (const event of events) table.apply(event);
  const lines = table.draw(Date.parse(second(6)), { width: 100, height: 20 }, plain);
  expect(lines).toEqual([
    "  round 2 of 5 · 2.0 s · about 14.0 s left",
    "  participant     state        step       examples  last metric         elapsed",
    "  p1              training     3/5        –         loss 0.250          2.0 s",
    "  p2              failed       –          –         –                   –        connection refused",
    "  p3              not selected –          –         –                   –",
  ]);
});

test("the live table never exceeds the screen size", () => {
  const table = new LiveTable();
  const participants = Array.from({ length: 50 }, (_, index) => ({ id: `p${index}`, url: "", roles: [] }));
  table.apply({ ...started, participants } as RunEvent);
  table.apply({ at, type: "round.started", round: 1, rounds: 5, attempt: 1, selected: [], quorum: 2 });
  const lines = table.draw(Date.parse(at), { width: 30, height: 10 }, plain);
  expect(lines.length).toBeLessThanOrEqual(10);
  expect(lines.every((line) => line.length <= 30)).toBe(true);
  expect(lines.at(-1)).toContain("more");
});

test("in a terminal, the live table is erased before each line and at the end", async () => {
  const pieces: string[] = [];
  const screen = { write: (piece: string) => pieces.push(piece), size: () => ({ width: 80, height: 24 }) };
  const progress = showProgress(screen, plain, { isLocal: false });
  progress.onEvent(started);
  progress.onEvent({ at, type: "round.started", round: 1, rounds: 5, attempt: 1, selected: ["p1"], quorum: 1 });
  await waitFor("the table", () => pieces.at(-1)?.includes("round 1 of 5"));
  const takenAway = `${ESCAPE}[6A${ESCAPE}[J`;
  await waitFor("a second drawing over the first", () => pieces.at(-1)?.startsWith(takenAway));
  progress.onEvent({ at, type: "round.committed", ...summary({}) });
  expect(pieces.slice(-2)).toEqual([takenAway, expect.stringMatching(/^ {2}1\/5 /)]);
  await waitFor("the table again", () => pieces.at(-1)?.includes("round 1 of 5"));
  progress.close();
  expect(pieces.at(-1)).toBe(takenAway);
});
