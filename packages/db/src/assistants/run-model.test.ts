import { plainRun } from "@tollgate/domain/assistants/records.fixture.ts";
import type { Run } from "@tollgate/domain/assistants/records.ts";
import { isOpen, MAX_TAKEOVERS, type RunStatus } from "@tollgate/domain/assistants/run-machine.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { ACTING, answerOf, QUEUE_LIMITS, type RunStage, SUBMITTED, sealer, test } from "./assistants.fixture.ts";
import { createRun } from "./create-run.ts";
import type { Lease } from "./run-lease.ts";
import { claimRun, storeWork } from "./run-work.ts";
import { findRun } from "./runs.ts";
import { cancelRun, submitOutputs } from "./submit-outputs.ts";
import { sweepRuns } from "./sweep-runs.ts";

/** Number of sequences. An environment variable can raise this number: 10,000 sequences take about ten minutes. */
const SEQUENCES = Number(process.env.RUN_MODEL_SEQUENCES ?? 25);

/** Runs that are requeued and then canceled: the previous worker's writes must be ignored. */
const lateWriters: [Act[]][] = [
  [["take", "go_silent", "cancel", "come_back"]],
  [["take", "require_action", "submit", "cancel", "come_back"]],
];

const CALL = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } } as const;
const worked = ["require_action", "complete", "run_out", "fail", "stop"] as const;
const acts = ["create", "take", "submit", "cancel", ...worked, "go_silent", "expire", "come_back"] as const;
type Act = (typeof acts)[number];

/** Expected state of a thread: its runs and their lease holders. */
interface Known {
  readonly threadId: string;
  readonly runs: { run: Run; status: RunStatus; takeovers: number; lease: Lease | null; stale: Lease[] }[];
}

test("after any sequence of actions, runs follow the published states and at most one run per thread is open", {
  timeout: Math.max(60_000, SEQUENCES * 2_000),
}, async ({ stage }) => {
  // Weight the normal path more heavily, so that runs get past their first states.
  const act = fc.oneof(
    fc.constantFrom(...acts),
    fc.constantFrom("create", "take", "submit", "require_action" as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (sequence) => {
      const first = await stage.addRun();
      const known: Known = {
        threadId: first.threadId,
        runs: [{ run: first, status: "queued", takeovers: 0, lease: null, stale: [] }],
      };
      for (const each of sequence) {
        await perform(stage, known, each);
        await compare(stage, known, each);
      }
    }),
    { numRuns: SEQUENCES, examples: lateWriters },
  );
});

type KnownRun = Known["runs"][number];

/** Performs the action and records the expected result. */
async function perform(stage: RunStage, known: Known, act: Act): Promise<void> {
  const last = known.runs.at(-1) as KnownRun;
  if (act === "create") return create(stage, known, last);
  if (act === "take") return take(stage, last);
  if (act === "submit") return submit(stage, last);
  if (act === "cancel") return cancel(stage, last);
  if (act === "go_silent") return goSilent(stage, last);
  if (act === "expire") return expire(stage, last);
  if (act === "come_back") return comeBack(stage, known);
  return work(stage, last, act);
}

async function create(stage: RunStage, known: Known, { run, status }: KnownRun): Promise<void> {
  const { assistantId } = run;
  const wanted = {
    ...ACTING,
    queueLimits: QUEUE_LIMITS,
    assistantId,
    fields: plainRun,
    isStreamed: false,
    messages: [],
  };
  // Create several runs concurrently. At most one creation can succeed.
  const made = await Promise.all([1, 2, 3].map(() => stage.act((access) => createRun(access, known.threadId, wanted))));
  const created = made.filter((creation) => creation.kind === "created");
  expect(created).toHaveLength(isOpen(status) ? 0 : 1);
  for (const creation of created) {
    known.runs.push({ run: creation.run, status: "queued", takeovers: 0, lease: null, stale: [] });
  }
}

async function take(stage: RunStage, last: KnownRun): Promise<void> {
  const taking = await claimRun(stage.worker, sealer, last.run.id);
  // The run was canceled before a worker claimed it.
  const isToEnd = last.status === "cancelling" && last.lease === null;
  expect(taking?.kind ?? null).toBe(last.status === "queued" ? "taken" : isToEnd ? "ended" : null);
  if (taking?.kind === "taken") Object.assign(last, { status: "in_progress", lease: taking.lease });
  else if (isToEnd) last.status = "cancelled";
}

async function submit(stage: RunStage, last: KnownRun): Promise<void> {
  const { threadId, id } = last.run;
  const outputs = [{ toolCallId: CALL.id, output: "sunny" }];
  const answer = await stage.act((access) =>
    submitOutputs(access, threadId, id, { ...SUBMITTED, outputs, isStreamed: false }),
  );
  const isAwaited = last.status === "requires_action";
  expect(answer.kind).toBe(isAwaited ? "changed" : "refused");
  if (isAwaited) last.status = "queued";
}

async function cancel(stage: RunStage, last: KnownRun): Promise<void> {
  const { threadId, id } = last.run;
  const answer = await stage.act((access) => cancelRun(access, threadId, id));
  expect(answer.kind).toBe(isOpen(last.status) ? "changed" : "refused");
  if (last.status === "requires_action") letGo(last, "cancelled");
  else if (isOpen(last.status)) last.status = "cancelling";
}

async function goSilent(stage: RunStage, last: KnownRun): Promise<void> {
  await set(stage, last.run, "leased_until = now() - interval '1 second'", "leased_until is not null");
  await sweepRuns(stage.worker, sealer);
  if (last.status === "cancelling") letGo(last, "cancelled");
  if (last.status !== "in_progress") return;
  letGo(last, last.takeovers < MAX_TAKEOVERS ? "queued" : "failed");
  last.takeovers += 1;
}

async function expire(stage: RunStage, last: KnownRun): Promise<void> {
  await set(stage, last.run, "expires_at = now()", "expires_at is not null");
  await sweepRuns(stage.worker, sealer);
  if (isOpen(last.status)) letGo(last, "expired");
}

/** Workers that were presumed dead write their late results. */
async function comeBack(stage: RunStage, { runs }: Known): Promise<void> {
  for (const { run, stale } of runs) {
    const late = { messages: [answerOf(run, "late")], command: { kind: "complete" } as const };
    for (const lease of stale) expect(await storeWork(stage.worker, sealer, lease, late)).toBeNull();
  }
}

async function work(stage: RunStage, last: KnownRun, act: (typeof worked)[number]): Promise<void> {
  const { run, status, lease } = last;
  if (lease === null) return;
  const fields = act === "require_action" ? { required: [CALL] } : {};
  const messages = [answerOf(run, "an answer")];
  const stored = await storeWork(stage.worker, sealer, lease, { command: { kind: act }, fields, messages });
  expect(stored).not.toBeNull();
  const next = ends[status === "cancelling" ? "cancelling" : "in_progress"][act];
  if (next !== undefined) letGo(last, next);
}

/** Expected status of a claimed run after each action by its worker. */
const ends: Record<"in_progress" | "cancelling", Partial<Record<Act, RunStatus>>> = {
  in_progress: { require_action: "requires_action", complete: "completed", run_out: "incomplete", fail: "failed" },
  cancelling: {
    require_action: "cancelled",
    complete: "completed",
    run_out: "cancelled",
    fail: "failed",
    stop: "cancelled",
  },
};

function letGo(last: KnownRun, status: RunStatus): void {
  if (last.lease !== null) last.stale.push(last.lease);
  Object.assign(last, { status, lease: null });
}

async function set({ database }: RunStage, { id }: Run, change: string, when: string): Promise<void> {
  await querySql(database.connectionString, `update thread_runs set ${change} where id = '${id}' and ${when}`);
}

async function compare(stage: RunStage, { threadId, runs }: Known, act: Act): Promise<void> {
  for (const { run, status } of runs) {
    const found = await stage.act((access) => findRun(access, threadId, run.id));
    expect({ act, status: found?.state.status }).toEqual({ act, status });
    expect(found?.usage !== null, "usage is said at the end").toBe(!isOpen(status));
  }
  expect(runs.filter(({ status }) => isOpen(status)).length).toBeLessThanOrEqual(1);
}
