import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunState, RunStatus } from "./run-machine.ts";
import { CANCEL_LIMIT_MS, changeRun, createRun, isOpen, RUN_LIFE_MS, type RunCommand } from "./run-machine.ts";

/** The documented state table, repeated here: from, command, to. */
const published: readonly [from: RunStatus, command: RunCommand["kind"], to: RunStatus][] = [
  ["queued", "start", "in_progress"],
  ["queued", "cancel", "cancelling"],
  ["in_progress", "cancel", "cancelling"],
  ["in_progress", "require_action", "requires_action"],
  ["requires_action", "submit", "queued"],
  ["requires_action", "cancel", "cancelled"],
  ["in_progress", "complete", "completed"],
  ["in_progress", "run_out", "incomplete"],
  ["in_progress", "fail", "failed"],
  ["cancelling", "stop", "cancelled"],
  ["cancelling", "tick", "cancelled"],
  ["cancelling", "orphan", "cancelled"],
  ["cancelling", "complete", "completed"],
  ["cancelling", "fail", "failed"],
  ["cancelling", "require_action", "cancelled"],
  ["cancelling", "run_out", "cancelled"],
  ["queued", "tick", "expired"],
  ["in_progress", "tick", "expired"],
  ["requires_action", "tick", "expired"],
  ["cancelling", "tick", "expired"],
  // A run whose worker stops responding is requeued once, then fails.
  ["in_progress", "orphan", "queued"],
  ["in_progress", "orphan", "failed"],
];
const legal = new Set(published.map((row) => row.join(" ")));
/** Transitions that depend on neither time nor history and therefore must not be refused. */
const unconditional = new Set(
  published.filter(([, command]) => command !== "tick").map(([from, command]) => `${from} ${command}`),
);
const terminal: ReadonlySet<RunStatus> = new Set(["cancelled", "failed", "completed", "incomplete", "expired"]);

const kinds = [
  "start",
  "require_action",
  "submit",
  "cancel",
  "stop",
  "complete",
  "run_out",
  "fail",
  "tick",
  "orphan",
] as const satisfies readonly RunCommand["kind"][];
/** Half of the commands follow the normal path, so that sequences get past the first states. */
const command = fc.oneof(
  fc.constantFrom(...kinds),
  fc.constantFrom("start", "require_action", "submit", "orphan" as const),
);
const pause = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 30_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * RUN_LIFE_MS }) },
);
const sequence = fc.array(fc.tuple(command, pause), { minLength: 1, maxLength: 40 });

test("10,000 command sequences cause only published transitions, and no published transition is refused", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(sequence, (steps) => {
      let nowMs = 1_000_000;
      let run = createRun(nowMs);
      for (const [kind, passes] of steps) {
        nowMs += passes;
        const change = changeRun(run, { kind }, nowMs);
        if (change.kind === "changed") {
          const transition = `${run.status} ${kind} ${change.run.status}`;
          if (!legal.has(transition)) throw new Error(`not published: ${transition}`);
          seen.add(transition);
          checkFields(run, change.run, nowMs);
          run = change.run;
        } else if (unconditional.has(`${run.status} ${kind}`)) {
          throw new Error(`refused: ${run.status} ${kind}`);
        }
      }
    }),
    { numRuns: 10_000 },
  );
  // The expiry clock starts before the cancellation request, so expiry always happens first.
  expect([...legal].filter((row) => !seen.has(row))).toEqual(["cancelling tick cancelled"]);
});

test("a thread never has two open runs, in 10,000 random command sequences", () => {
  const act = fc.tuple(fc.oneof(fc.constant("create" as const), command), fc.nat(4), pause);
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let nowMs = 0;
      const runs: RunState[] = [];
      for (const [kind, at, passes] of acts) {
        nowMs += passes;
        if (kind === "create") {
          if (!runs.some(({ status }) => isOpen(status))) runs.push(createRun(nowMs));
          continue;
        }
        const index = runs.length - 1 - at;
        const run = runs[index];
        const change = run === undefined ? null : changeRun(run, { kind }, nowMs);
        if (change?.kind === "changed") runs[index] = change.run;
        // A late command must not reopen an ended run, because otherwise the thread would have two open runs.
        if (runs.filter(({ status }) => !terminal.has(status)).length > 1) throw new Error(JSON.stringify(runs));
      }
    }),
    { numRuns: 10_000 },
  );
});

describe("a finished run", () => {
  test("is not changed by any later command", () => {
    for (const status of terminal) {
      const over: RunState = { ...createRun(0), status, expiresAtMs: null, endedAtMs: 5 };
      expect(isOpen(status)).toBe(false);
      for (const kind of kinds) {
        const expected = kind === "tick" || kind === "orphan" ? "same" : "refused";
        expect(changeRun(over, { kind }, 10 * RUN_LIFE_MS).kind).toBe(expected);
      }
    }
  });
});

describe("run expiry", () => {
  test("happens at the exact millisecond and not before", () => {
    const run = createRun(7);
    expect(changeRun(run, { kind: "tick" }, 7 + RUN_LIFE_MS - 1).kind).toBe("same");
    expect(after(run, "tick", 7 + RUN_LIFE_MS)).toMatchObject({ status: "expired", endedAtMs: 7 + RUN_LIFE_MS });
  });

  test("restarts only when tool outputs are submitted", () => {
    const started = after(createRun(0), "start", 100);
    const waiting = after(started, "require_action", 200);
    expect([started.expiresAtMs, waiting.expiresAtMs]).toEqual([RUN_LIFE_MS, RUN_LIFE_MS]);
    const again = after(waiting, "submit", 300_000);
    expect(again.expiresAtMs).toBe(300_000 + RUN_LIFE_MS);
    expect(changeRun(again, { kind: "tick" }, RUN_LIFE_MS).kind).toBe("same");
  });
});

describe("run cancellation", () => {
  test("has no further effect when requested twice", () => {
    const cancelling = after(createRun(0), "cancel", 1);
    expect(changeRun(cancelling, { kind: "cancel" }, 2).kind).toBe("same");
    expect(cancelling.cancelByMs).toBe(1 + CANCEL_LIMIT_MS);
  });

  test("is forced if the worker does not stop", () => {
    const cancelling = { ...after(createRun(0), "cancel", 1), expiresAtMs: 10 * RUN_LIFE_MS };
    expect(changeRun(cancelling, { kind: "tick" }, CANCEL_LIMIT_MS).kind).toBe("same");
    expect(after(cancelling, "tick", 1 + CANCEL_LIMIT_MS).status).toBe("cancelled");
  });
});

describe("an unresponsive worker", () => {
  test("is replaced at most once per run, even after new tool outputs are submitted", () => {
    const first = after(createRun(0), "start", 1);
    const requeued = after(first, "orphan", 2);
    expect(requeued).toMatchObject({ status: "queued", takeovers: 1, startedAtMs: 1 });
    const second = after(after(requeued, "start", 3), "require_action", 4);
    const third = after(after(second, "submit", 5), "start", 6);
    expect(after(third, "orphan", 7)).toMatchObject({ status: "failed", endedAtMs: 7 });
  });

  test("does not affect a run that no worker is processing", () => {
    const waiting = after(after(createRun(0), "start", 1), "require_action", 2);
    expect(changeRun(createRun(0), { kind: "orphan" }, 3).kind).toBe("same");
    expect(changeRun(waiting, { kind: "orphan" }, 3).kind).toBe("same");
  });
});

/** Checks the invariants of the fields other than the status, for any command. */
function checkFields(before: RunState, now: RunState, nowMs: number): void {
  const isOver = terminal.has(now.status);
  const expiresAtMs = before.status === "requires_action" ? nowMs + RUN_LIFE_MS : before.expiresAtMs;
  const startedAtMs = before.startedAtMs ?? (now.status === "in_progress" ? nowMs : null);
  const wasTakenAway = before.status === "in_progress" && now.status === "queued";
  const rules = {
    "is open until its final status": isOpen(now.status) === !isOver,
    "keeps its creation time": now.createdAtMs === before.createdAtMs,
    "records its end time": now.endedAtMs === (isOver ? nowMs : null),
    "expires at its deadline": now.expiresAtMs === (isOver ? null : expiresAtMs),
    "has a cancellation deadline only while cancelling": (now.cancelByMs !== null) === (now.status === "cancelling"),
    "keeps its first start time": now.startedAtMs === startedAtMs,
    "counts its takeovers": now.takeovers === before.takeovers + (wasTakenAway ? 1 : 0),
  };
  for (const [rule, holds] of Object.entries(rules)) {
    if (!holds) throw new Error(`a run ${rule}: ${JSON.stringify({ before, now, nowMs })}`);
  }
}

function after(run: RunState, kind: RunCommand["kind"], nowMs: number): RunState {
  const change = changeRun(run, { kind }, nowMs);
  if (change.kind !== "changed") throw new Error(`${kind} changes nothing of a run that is ${run.status}`);
  return change.run;
}
