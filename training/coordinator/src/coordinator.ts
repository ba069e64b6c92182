import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openTensors } from "@tollgate/participant/formats/open-tensors.ts";
import { storeFile } from "@tollgate/participant/wire/file-bytes.ts";
import { createSpoolFolder } from "@tollgate/participant/wire/spool-folder.ts";
import { BlobStore, writeJsonFile } from "./checkpoints/blob-store.ts";
import { conductRun, type RunOutcome } from "./conduct-run.ts";
import { type JournalWatcher, readJournal } from "./journal/journal.ts";
import type { JournalEntry, PlanSummary } from "./journal/journal-entry.ts";
import { lockRun } from "./journal/run-lock.ts";
import { type Environment, Fleet } from "./participants/fleet.ts";
import type { Plan } from "./plan/plan.ts";
import { PlanError } from "./plan/plan-error.ts";
import { formatMethod } from "./plan/read-aggregate-plan.ts";
import { StopRule } from "./rounds/stop-rule.ts";
import type { RunEvent } from "./run-events.ts";
import { RunLog } from "./run-log.ts";

export interface CoordinatorOptions {
  /** Run folder: journal, blobs, checkpoints, final parameters. Created if missing. */
  readonly dir: string;
  /** `tr_` and a ULID. Part of every idempotency key, so two runs never share a key. Generated if omitted. */
  readonly runId?: string;
  readonly onEvent?: (event: RunEvent) => void;
  /** Environment in which the plan's `tokenEnv` variables are looked up. */
  readonly env?: Environment;
  /**
   * Returns why a participant has permanently failed, if the caller knows. The participant is then not retried in that
   * round.
   */
  readonly describeFailure?: (participant: string) => string | null | undefined;
  /** Restarts a participant whose process exited, if the caller can. Awaited when a round selects participants. */
  readonly revive?: (participant: string, signal: AbortSignal) => Promise<void>;
  /** Jitter for retries. Independent of the plan's seed. */
  readonly random?: () => number;
  readonly now?: () => Date;
  /** Called before and after each durable step. */
  readonly watchJournal?: JournalWatcher;
}

/** Thrown if the folder already contains a run, or contains no run to resume. */
export class WrongFolder extends Error {
  override readonly name = "WrongFolder";
}

/** Runs the rounds of one plan in a folder that records every step. */
export class Coordinator {
  readonly #plan: Plan;
  readonly #options: CoordinatorOptions;

  constructor(plan: Plan, options: CoordinatorOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  /** Starts a new run. Throws if the folder already contains a run. */
  async run(signal: AbortSignal): Promise<RunOutcome> {
    const { dir } = this.#options;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return this.#conduct(signal, (log) => {
      if (log.state.run !== null)
        throw new WrongFolder(`${dir} already contains a run. Resume it, or choose another directory.`);
    });
  }

  /** Resumes the run in the folder, with the participants and settings of this coordinator's plan. */
  async resume(signal: AbortSignal): Promise<RunOutcome> {
    const { dir } = this.#options;
    // Check before writing anything, so that a mistyped folder stays unchanged.
    if ((await readJournal(dir)).length === 0) throw new WrongFolder(`${dir} contains no run to resume.`);
    return this.#conduct(signal, () => {});
  }

  async #conduct(signal: AbortSignal, check: (log: RunLog) => void): Promise<RunOutcome> {
    const { dir, onEvent = () => {}, now = () => new Date(), random = Math.random, watchJournal } = this.#options;
    const unlock = await lockRun(dir);
    const closers: (() => unknown)[] = [unlock];
    try {
      const stop = new StopRule(this.#plan.stop, this.#plan.run.rounds);
      const onEntry = (entry: JournalEntry) => showScore(stop, entry);
      const log = await RunLog.open(dir, { now, watch: watchJournal, onEvent, onEntry });
      closers.push(() => log.close());
      check(log);
      const spool = await createSpoolFolder(dir);
      closers.push(() => spool.close());
      const blobs = await BlobStore.open(dir);
      const runId = log.state.run ?? this.#options.runId ?? `tr_${randomUUID()}`;
      const { env = process.env, describeFailure, revive } = this.#options;
      const fleet = new Fleet(this.#plan, {
        run: runId,
        env,
        folder: spool.path,
        log,
        random,
        describeFailure,
        revive,
      });
      closers.push(() => fleet.close());
      await this.#begin(log, blobs, stop, runId);
      return await conductRun({ dir, plan: this.#plan, log, blobs, fleet, stop, signal, random, now });
    } finally {
      for (const close of closers.reverse()) await close();
    }
  }

  async #begin(log: RunLog, blobs: BlobStore, stop: StopRule, run: string): Promise<void> {
    const { dir } = this.#options;
    const { state } = log;
    const plan = summarize(this.#plan);
    await writeJsonFile(join(dir, "plan.json"), this.#plan);
    const isNew = state.run === null;
    if (isNew) await log.record({ type: "run.started", run, plan, initial: await storeInitial(this.#plan, blobs) });
    const isOver = state.ended === "finished" && stop.reasonAfter(state.lastRound) !== null;
    const isStuck = state.ended !== null || state.failedAttempts > 1;
    const isChanged = JSON.stringify(plan) !== JSON.stringify(log.history.plan);
    if ((isStuck || isChanged) && !isOver) await log.record({ type: "run.resumed", plan });
    const { rounds, name, method, participants } = plan;
    const resumed = isNew ? {} : { resumedAfterRound: state.lastRound };
    log.emit({ type: "run.started", run, name, dir, rounds, method, participants, ...resumed });
    if (state.open !== null) {
      const { round, attempt, selected, quorum } = state.open.start;
      log.emit({ type: "round.started", round, rounds, attempt, selected, quorum });
    }
  }
}

function showScore(stop: StopRule, entry: JournalEntry): void {
  if ((entry.type === "committed" || entry.type === "rejected") && entry.score !== null) {
    stop.see(entry.score, entry.type === "committed");
  }
}

function summarize({ run, participants, aggregate, stop }: Plan): PlanSummary {
  return {
    name: run.name,
    rounds: run.rounds,
    method: aggregate.by === "coordinator" ? formatMethod(aggregate.method) : "by participant",
    metric: stop.metric,
    participants: participants.map(({ id, url, roles }) => ({ id, url, roles })),
  };
}

async function storeInitial({ run, aggregate }: Plan, blobs: BlobStore): Promise<string | null> {
  if (run.initial === null) return null;
  try {
    if (aggregate.format !== "opaque") openTensors(run.initial, aggregate.format).close();
    return await blobs.add(await storeFile(run.initial));
  } catch (error) {
    const message = `could not be used: ${(error as Error).message.replace(/\.$/, "")}`;
    throw new PlanError([{ path: "run.initial", message, fix: "Use a file with parameters in the plan's format." }]);
  }
}
