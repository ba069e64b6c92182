import { setTimeout as pause } from "node:timers/promises";
import { describeRun } from "@tollgate/contracts/assistants/run-object.ts";
import {
  appendEvents,
  type ClaimedRun,
  claimRun,
  giveBack,
  readHistory,
  readRunEvents,
  startTurn,
  storeWork,
  type WorkToStore,
} from "@tollgate/db/assistants/run-work.ts";
import { findFullStorage } from "@tollgate/db/assistants/storage-quota.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import { buildTurn } from "@tollgate/domain/assistants/build-turn.ts";
import type { ReadTurn, TurnFailure } from "@tollgate/domain/assistants/read-turn.ts";
import type { ChargedUsage, Run, RunEvent, RunFields, Step, TurnUsage } from "@tollgate/domain/assistants/records.ts";
import { CANCELLED, failTurn, resolveTurn, type TurnEnd } from "@tollgate/domain/assistants/resolve-turn.ts";
import type { RunCommand } from "@tollgate/domain/assistants/run-machine.ts";
import { describeFullStorage, type FullStorage } from "@tollgate/domain/assistants/stored-bytes.ts";
import { callModel, type ModelCallResult } from "./call-model.ts";
import { closeRunEvents } from "./close-run-events.ts";
import { retryUntilDeadline } from "./retry-until-deadline.ts";
import type { RunContext } from "./run-context.ts";
import { RunEventLog } from "./run-event-log.ts";
import type { HeldLease, StopReason } from "./run-lease-renewer.ts";
import { type DraftRecords, TurnDraft } from "./turn-draft.ts";
import { runEvent } from "./turn-events.ts";
import { waitForLostTurns, waitForUsage } from "./wait-for-usage.ts";

/** Pauses between attempts to reach a gateway. The number of attempts is one more than the number of pauses. */
const TRY_AGAIN_AFTER_MS = [100, 500, 2_000, 5_000];
/**
 * Maximum number of messages and bytes of history. A thread can be longer than any model accepts, so older messages are
 * omitted.
 */
const HISTORY = { most: 2_000, mostBytes: 8 * 1024 * 1024 };
const NOTHING_USED: TurnUsage = { promptTokens: 0, completionTokens: 0 };
const INTERNAL: TurnFailure = { code: "server_error", message: "The run could not continue.", isTooLong: false };

/** Executes a run until it ends, waits for tool outputs, or is taken over by another worker. */
export async function executeRun(context: RunContext, runId: string): Promise<void> {
  const attempts = new Set<string>();
  const taken = await retryUntilDeadline(() => claimRun(context.db, context.sealer, runId, attempts));
  if (taken?.kind !== "taken") return;
  const lease = context.leases.hold(taken.lease);
  const work = new RunWork(context, taken, lease);
  try {
    await context.onPoint("taken");
    await work.go();
  } catch (error) {
    context.logger.error(`run ${runId} failed`, { error });
    // The run must fail now. Otherwise, a worker would claim the run again after its lease expires, and the run would
    // fail again.
    if (!isDatabaseUnavailable(error)) await work.fail(INTERNAL);
  } finally {
    lease.release();
  }
}

/** One worker's execution of one run. All of its writes are refused once another worker owns the run. */
class RunWork {
  readonly #context: RunContext;
  readonly #taken: ClaimedRun;
  readonly #lease: HeldLease;
  readonly #story: RunEventLog;
  #hasLostTurns: boolean;

  constructor(context: RunContext, taken: ClaimedRun, lease: HeldLease) {
    const { db, sealer, onPoint } = context;
    this.#context = context;
    this.#taken = taken;
    this.#lease = lease;
    this.#hasLostTurns = taken.turns.some(({ state, usage }) => state === "lost" && usage === null);
    this.#story = new RunEventLog(async (events) => {
      await onPoint("before events");
      await appendEvents(db, sealer, taken.lease, taken.owner, events);
      await onPoint("events written");
    }, taken.isStreamed);
  }

  async go(): Promise<void> {
    const { context, run, steps, turns, isStreamed } = { context: this.#context, ...this.#taken };
    await this.#beginStory();
    const history = await retryUntilDeadline(() => readHistory(context.db, context.sealer, run.threadId, HISTORY));
    await context.onPoint("thread read");
    const number = nextNumber(this.#taken);
    let attempt = turns.filter((turn) => turn.number === number).length;
    let most: number | null = null;
    let tries = 0;
    while (!this.#lease.signal.aborted) {
      const used = sumUsage(this.#taken);
      const full = await retryUntilDeadline(() => findFullStorage(context.db, run, context.storageLimits()));
      if (full !== null) return this.#end({ kind: "fail" }, { lastError: storageFailure(full) });
      const built = buildTurn({ fields: run.fields, history, most, steps, used, isStreamed });
      if (built.kind === "run_out") return this.#end({ kind: "run_out" }, { incompleteReason: built.reason });
      attempt += 1;
      const turn: TurnInHand = {
        number,
        attempt,
        // The label starts with the run's ID, so that the run's calls can be found in the logs.
        label: `${run.id}-${crypto.randomUUID().slice(0, 8)}`,
        draft: new TurnDraft(run, Date.now),
      };
      const asked = await this.#ask(turn, JSON.stringify(built.body));
      if (asked === null) return;
      if (this.#lease.signal.aborted) return this.#stop(turn, asked);
      if (asked.kind === "answered") return this.#store(turn, asked.turn);
      if (asked.kind === "refused" && asked.failure.isTooLong && canShorten(run, built.shown.length)) {
        most = Math.floor(built.shown.length / 2);
        if (!(await this.#forget(turn, asked))) return;
        continue;
      }
      const isGatewayGone = asked.kind === "unreached" || (asked.kind === "broken" && asked.isGatewayGone);
      const pauseMs = TRY_AGAIN_AFTER_MS[tries++];
      // Sent events can't be retracted, so the call isn't retried after the first event.
      if (!isGatewayGone || turn.draft.isBegun || pauseMs === undefined) return this.#giveUp(turn, asked);
      if (!(await this.#forget(turn, asked))) return;
      await pause(pauseMs * (0.5 + Math.random()), undefined, { signal: this.#lease.signal }).catch(() => {});
    }
    await this.#leave();
  }

  async #beginStory(): Promise<void> {
    const { run, turns, isStreamed } = this.#taken;
    const wasInterrupted = isStreamed && turns.some(({ state }) => state === "lost");
    const { db, sealer } = this.#context;
    const reported = wasInterrupted ? await retryUntilDeadline(() => readRunEvents(db, sealer, run.id)) : [];
    this.#story.tell([...closeRunEvents(reported, Date.now()), tellRun(run)]);
  }

  /** Ends the run as failed. Does nothing if the database can't be written. */
  async fail({ code, message }: TurnFailure): Promise<void> {
    await this.#end({ kind: "fail" }, { lastError: { code, message } }).catch(() => {});
  }

  /** Records a call and then makes it. Returns null if another worker owns the run. */
  async #ask({ draft, ...turn }: TurnInHand, body: string): Promise<ModelCallResult | null> {
    const { db, sealer, models, onPoint } = this.#context;
    await onPoint("before turn");
    if (!(await retryUntilDeadline(() => startTurn(db, sealer, this.#taken.lease, turn)))) return null;
    await onPoint("turn started");
    const call = { keyId: this.#taken.run.keyId, label: turn.label, body, signal: this.#lease.signal };
    const asked = await callModel(models, call, {
      onHead: () => onPoint("headers received"),
      onDelta: async (delta) => {
        const isFirst = !draft.isBegun;
        this.#story.tell(draft.tell(delta));
        if (isFirst) await onPoint("first chunk");
      },
    });
    await onPoint("response read");
    return asked;
  }

  /** Stores a response and the resulting state of the run in one transaction. */
  async #store({ label, draft }: TurnInHand, reported: ReadTurn): Promise<void> {
    const isComplete = reported.usage !== null && reported.cost !== null;
    const found = isComplete ? null : await this.#findUsage(label);
    const usage = reported.usage ?? found ?? NOTHING_USED;
    const answer = {
      ...reported,
      usage: { promptTokens: usage.promptTokens, completionTokens: usage.completionTokens },
    };
    const cost = reported.cost ?? found?.cost ?? null;
    const { command, fields, end } = resolveTurn(answer);
    const isWaiting = command.kind === "require_action";
    if (!isWaiting) await this.#settleLostTurns();
    this.#story.tell(draft.tellWhole(answer));
    const records = draft.close(answer, end);
    const rest = await this.#story.takeRest();
    await this.#context.onPoint("before store");
    await this.#write({
      turn: { label, state: "stored", usage: { ...answer.usage, cost } },
      messages: records.messages,
      steps: records.steps,
      command,
      fields: { ...fields, required: isWaiting ? records.required : null },
      tell: (run) => this.#story.only([...rest, ...tellEnd(run, records, draft)]),
    });
    await this.#context.onPoint("stored");
  }

  /** Ends the run with a failure. Partial output is stored and marked as incomplete. */
  async #giveUp(turn: TurnInHand, asked: Failed): Promise<void> {
    const { command, fields, end } = failTurn(asked.failure, "run_failed");
    const records = closeBroken(turn, asked, end);
    if (await this.#forget(turn, asked, records)) await this.#end(command, fields, turn.draft.tellClosed(records));
  }

  /** Handles a request to stop that arrives during a call. */
  async #stop(turn: TurnInHand, asked: ModelCallResult): Promise<void> {
    if (this.#lease.signal.reason !== ("cancelled" satisfies StopReason)) return this.#leave();
    // A response that arrived before the cancellation is stored, because it was paid for.
    if (asked.kind === "answered") return this.#store(turn, asked.turn);
    const records = closeBroken(turn, asked, CANCELLED);
    if (await this.#forget(turn, asked, records)) await this.#end({ kind: "stop" }, {}, turn.draft.tellClosed(records));
  }

  /** Handles a request to stop between calls, or during a call for a reason other than cancellation. */
  async #leave(): Promise<void> {
    const { db, sealer, onPoint } = this.#context;
    const reason = this.#lease.signal.reason as StopReason;
    if (reason === "cancelled") return this.#end({ kind: "stop" }, {});
    if (reason === "lost") return;
    await retryUntilDeadline(() => giveBack(db, sealer, this.#taken.lease));
    await onPoint("released");
  }

  /**
   * Records a call without a complete response. Its usage is what the gateway reported, or the usage in the ledger.
   * Returns false if another worker owns the run.
   */
  async #forget({ label }: TurnInHand, asked: Failed, { messages, steps } = NO_RECORDS): Promise<boolean> {
    const usage = chargeOf(asked);
    if (usage === null) this.#hasLostTurns = true;
    const turn = { label, state: usage === null ? "lost" : "failed", usage } as const;
    return (await this.#write({ turn, messages, steps })) !== null;
  }

  async #end(command: RunCommand, fields: Partial<RunFields>, closed: readonly RunEvent[] = []): Promise<void> {
    await this.#settleLostTurns();
    const rest = await this.#story.takeRest();
    await this.#context.onPoint("before end");
    await this.#write({ command, fields, tell: (run) => this.#story.only([...rest, ...closed, tellRun(run)]) });
    await this.#context.onPoint("ended");
  }

  /** Adds the usage of calls whose response was lost, because a run's final usage covers all of its calls. */
  async #settleLostTurns(): Promise<void> {
    if (!this.#hasLostTurns) return;
    const { db, booksLimitMs, onPoint } = this.#context;
    await onPoint("before lost turns");
    const patience = { limitMs: booksLimitMs, signal: this.#lease.signal };
    await retryUntilDeadline(() => waitForLostTurns(db, this.#taken.run.id, patience));
  }

  #findUsage(label: string): Promise<ChargedUsage | null> {
    const { db, booksLimitMs } = this.#context;
    const patience = { limitMs: booksLimitMs, signal: this.#lease.signal };
    return retryUntilDeadline(() => waitForUsage(db, label, patience));
  }

  #write(work: WorkToStore): Promise<Run | null> {
    const { db, sealer } = this.#context;
    return retryUntilDeadline(() => storeWork(db, sealer, this.#taken.lease, work));
  }
}

interface TurnInHand {
  readonly number: number;
  readonly attempt: number;
  /** The call's label in the ledger. */
  readonly label: string;
  readonly draft: TurnDraft;
}

type Failed = Exclude<ModelCallResult, { kind: "answered" }>;

const NO_RECORDS: DraftRecords = { messages: [], steps: [], required: [] };

/** Returns the error of a run that cannot store another response. It is checked before the model is called and paid. */
function storageFailure(full: FullStorage): RunFields["lastError"] {
  const owner = full.reason === "key" ? "The key" : "The organization";
  return { code: "rate_limit_exceeded", message: describeFullStorage(full, owner) };
}

/** Returns what a failed call was charged; null if only the ledger contains that. */
function chargeOf(asked: Failed): ChargedUsage | null {
  if (asked.kind === "unreached") return { ...NOTHING_USED, cost: 0n };
  return asked.kind === "refused" ? asked.charged : null;
}

/** Returns the records of a truncated response, if any of its events were sent. */
function closeBroken({ draft }: TurnInHand, asked: Failed, end: TurnEnd): DraftRecords {
  return asked.kind === "broken" && draft.isBegun ? draft.close(asked.turn, end) : NO_RECORDS;
}

function tellRun(run: Run): RunEvent {
  return runEvent(`thread.run.${run.state.status}`, describeRun(run));
}

/** Returns the final events of a run. If the run is canceled or expired, these events also end open tool calls. */
function tellEnd(run: Run, records: DraftRecords, draft: TurnDraft): readonly RunEvent[] {
  const { status } = run.state;
  const steps = records.steps.map((step): Step => {
    const isLeftOpen = step.fields.status === "in_progress" && (status === "cancelled" || status === "expired");
    return isLeftOpen ? { ...step, fields: { ...step.fields, status, endedAtMs: run.state.endedAtMs } } : step;
  });
  return [...draft.tellClosed({ ...records, steps }), tellRun(run)];
}

/** Reports whether the history can be shortened, which only the `auto` strategy permits. */
function canShorten({ fields }: Run, shown: number): boolean {
  return fields.truncation_strategy.type === "auto" && shown > 1;
}

/**
 * Returns the next turn number. A stored turn is never repeated. A lost turn is repeated with the same number, as
 * another attempt.
 */
function nextNumber({ turns }: ClaimedRun): number {
  return Math.max(0, ...turns.filter(({ state }) => state === "stored").map(({ number }) => number)) + 1;
}

function sumUsage({ turns }: ClaimedRun): TurnUsage {
  return turns.reduce(
    (sum, { usage }) => ({
      promptTokens: sum.promptTokens + (usage?.promptTokens ?? 0),
      completionTokens: sum.completionTokens + (usage?.completionTokens ?? 0),
    }),
    NOTHING_USED,
  );
}
