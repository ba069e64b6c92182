import type { BlobStore } from "../checkpoints/blob-store.ts";
import type { AggregatedFact, TrainingClosedFact } from "../journal/journal-entry.ts";
import type { Fleet } from "../participants/fleet.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunLog } from "../run-log.ts";
import type { OpenRound } from "../run-state.ts";
import { aggregateRound } from "./aggregate-round.ts";
import { commitRound } from "./commit-round.ts";
import { evaluateRound, isEvaluated } from "./evaluate-round.ts";
import { recordFailure } from "./round-work.ts";
import { selectRound } from "./select-round.ts";
import { trainRound } from "./train-round.ts";

/** Dependencies for conducting rounds. */
export interface Conductor {
  readonly plan: Plan;
  readonly log: RunLog;
  readonly blobs: BlobStore;
  readonly fleet: Fleet;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly now: () => Date;
}

/**
 * Runs one round from its current step to its commit: select, train, aggregate, evaluate. Skips steps that are in the
 * journal. Throws RoundFailure if the round cannot be completed.
 */
export async function conductRound(conductor: Conductor): Promise<void> {
  const { plan, log, signal } = conductor;
  signal.throwIfAborted();
  const open = log.state.open ?? (await startRound(conductor));
  const work = { ...conductor, open };
  if (open.closed === null) await trainRound(work);
  signal.throwIfAborted();
  if (open.aggregated === null) await aggregateRound(work, open.closed as unknown as TrainingClosedFact);
  const aggregated = open.aggregated as unknown as AggregatedFact;
  signal.throwIfAborted();
  if (open.evaluated === null && isEvaluated(plan, open.start.round)) await evaluateRound(work, aggregated);
  await commitRound(work, aggregated, conductor.now());
}

async function startRound({ plan, log, fleet, signal, random }: Conductor): Promise<OpenRound> {
  const { state } = log;
  const { selected, quorum, unavailable, quarantined } = await selectRound(plan, state, fleet, random, signal);
  const round = state.lastRound + 1;
  const attempt = state.failedAttempts + 1;
  const base = state.current?.sha256 ?? state.initial;
  const start = { round, attempt, selected, quorum };
  await log.record({ type: "round.started", base, state: state.current?.state ?? null, quarantined, ...start });
  log.emit({ type: "round.started", rounds: plan.run.rounds, ...start });
  const open = state.open as OpenRound;
  for (const participant of quarantined) {
    log.emit({ type: "participant.state", round, participant, state: "quarantined" });
  }
  await Promise.all([...unavailable].map(([id, failure]) => recordFailure({ log, open }, id, "select", failure)));
  return open;
}
