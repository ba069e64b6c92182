import { summarizeRound } from "../history-fold.ts";
import type { AggregatedFact } from "../journal/journal-entry.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunState } from "../run-state.ts";
import { findEvaluators, isEvaluated } from "./evaluate-round.ts";
import type { RoundWork } from "./round-work.ts";
import { isBetter } from "./stop-rule.ts";

/** Commits the new parameters, or keeps the previous parameters if the gate rejects the drop in the score. */
export async function commitRound(
  { plan, log, open }: RoundWork,
  aggregated: AggregatedFact,
  now: Date,
): Promise<void> {
  const { round } = open.start;
  const score = open.evaluated?.score ?? null;
  const durationMs = Math.max(0, now.getTime() - Date.parse(open.startedAt));
  const reason = findRejection(plan, log.state, score);
  const isBest = reason === null && score !== null && isBestSoFar(plan, log.state, score);
  const { sha256, state } = aggregated;
  if (reason === null) await log.record({ type: "committed", round, sha256, state, score, best: isBest, durationMs });
  else await log.record({ type: "rejected", round, reason, score, durationMs });
  const evaluators = isEvaluated(plan, round) ? findEvaluators(plan).length : 0;
  const summary = summarizeRound(log.history.lastRound(), plan.run.rounds, evaluators, isBest);
  log.emit(reason === null ? { type: "round.committed", ...summary } : { type: "round.rejected", reason, ...summary });
}

function findRejection({ evaluate, stop }: Plan, { checkpoints }: RunState, score: number | null): string | null {
  // Use the last evaluated round: with `every: 5`, the four rounds between evaluations have no score.
  const before = checkpoints.findLast((checkpoint) => checkpoint.score !== null)?.score ?? null;
  if (evaluate.gate === null || score === null || before === null) return null;
  if (!isBetter(before, score, stop.goal, evaluate.gate)) return null;
  return `${stop.metric} went from ${round(before)} to ${round(score)}, which exceeds the gate of ${evaluate.gate}`;
}

function isBestSoFar({ stop }: Plan, { best }: RunState, score: number): boolean {
  return best === null || best.score === null || isBetter(score, best.score, stop.goal);
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
