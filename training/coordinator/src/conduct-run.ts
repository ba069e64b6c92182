import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "@tollgate/participant/wire/durable-file.ts";
import { keepCheckpoints } from "./checkpoints/keep-checkpoints.ts";
import { writeFinal } from "./checkpoints/write-final.ts";
import { type Conductor, conductRound } from "./rounds/conduct-round.ts";
import { RoundFailure } from "./rounds/round-failure.ts";
import type { StopRule } from "./rounds/stop-rule.ts";
import type { FinishReason } from "./run-events.ts";
import type { RoundHistory } from "./run-history.ts";
import type { Checkpoint } from "./run-state.ts";

const HISTORY_FILE = "history.jsonl";
/** A failed round is retried once as a whole. */
const MAX_ATTEMPTS = 2;

interface Run extends Conductor {
  readonly dir: string;
  readonly stop: StopRule;
}

/** Outcome of `run` or `resume`. Every outcome except `finished` can be resumed. */
export type RunOutcome =
  | {
      readonly outcome: "finished";
      readonly reason: FinishReason;
      readonly round: number;
      readonly sha256: string;
      readonly finalFile: string;
    }
  | { readonly outcome: "paused"; readonly round: number; readonly reason: string }
  | { readonly outcome: "failed"; readonly round: number; readonly reason: string }
  | { readonly outcome: "interrupted"; readonly round: number };

/** Runs rounds until the plan's stop rule applies, or the run is paused or interrupted. */
export async function conductRun(run: Run): Promise<RunOutcome> {
  const { log, stop, dir, plan, blobs, signal } = run;
  try {
    await keepCheckpoints(dir, plan, log.state, blobs);
    await rewriteHistory(run);
    for (;;) {
      const reason = log.state.open === null ? stop.reasonAfter(log.state.lastRound) : null;
      if (reason !== null) return await finish(run, reason);
      const outcome = await tryRound(run);
      if (outcome !== null) return outcome;
    }
  } catch (error) {
    if (signal.aborted) return { outcome: "interrupted", round: log.state.lastRound + 1 };
    throw error;
  }
}

async function tryRound(run: Run): Promise<RunOutcome | null> {
  const { log, dir, plan, blobs } = run;
  try {
    await conductRound(run);
  } catch (error) {
    if (error instanceof RoundFailure) return await noteFailure(run, error);
    throw error;
  }
  await keepCheckpoints(dir, plan, log.state, blobs);
  await appendFile(join(dir, HISTORY_FILE), formatRound(log.history.lastRound()));
  return null;
}

/** Records a failed round. Returns null if the round is retried. */
async function noteFailure({ log }: Run, { phase, message: reason }: RoundFailure): Promise<RunOutcome | null> {
  const { state } = log;
  const round = state.lastRound + 1;
  if (state.open !== null) {
    const { attempt } = state.open.start;
    await log.record({ type: "round.failed", round, attempt, phase, reason });
    const retrying = state.failedAttempts < MAX_ATTEMPTS;
    log.emit({ type: "round.failed", round, attempt, phase, reason, retrying });
    if (retrying) return null;
  }
  if (phase === "aggregate") {
    await log.record({ type: "run.failed", round, reason });
    return { outcome: "failed", round, reason };
  }
  await log.record({ type: "run.paused", round, reason });
  log.emit({ type: "run.paused", round, reason });
  return { outcome: "paused", round, reason };
}

async function finish({ log, plan, dir, blobs, now }: Run, reason: FinishReason): Promise<RunOutcome> {
  const { state } = log;
  // An earlier plan may not have stored the best parameters.
  const best = state.best !== null && (await blobs.has(state.best.sha256)) ? state.best : null;
  const chosen = plan.stop.onDecline === "keep" ? (best ?? state.current) : state.current;
  const { round: finalRound, sha256, format } = chosen as Checkpoint;
  const files = await writeFinal(dir, await blobs.read(sha256), format);
  const round = state.lastRound;
  if (state.ended !== "finished") await log.record({ type: "run.finished", reason, round, finalRound, sha256 });
  log.emit({
    type: "run.finished",
    reason,
    rounds: round,
    durationMs: now().getTime() - Date.parse(state.startedAt as string),
    firstAccuracy: state.firstAccuracy,
    lastAccuracy: state.lastAccuracy,
    bestRound: state.best?.round ?? null,
    bestScore: state.best?.score ?? null,
    finalRound,
    sha256,
    ...files,
  });
  return { outcome: "finished", reason, round, sha256, finalFile: files.finalFile };
}

/**
 * Rewrites the history file for users and their tools: one line per finished round. The file is derived from the
 * journal, so it is rebuilt on resume.
 */
async function rewriteHistory({ dir, log }: Run): Promise<void> {
  const rounds = log.history.history()?.rounds ?? [];
  const ended = rounds.filter(({ state }) => state === "committed" || state === "rejected");
  async function* lines(): AsyncGenerator<Uint8Array> {
    for (const round of ended) yield Buffer.from(formatRound(round));
  }
  await writeDurably(join(dir, HISTORY_FILE), lines());
}

function formatRound(round: RoundHistory): string {
  return `${JSON.stringify(round)}\n`;
}
