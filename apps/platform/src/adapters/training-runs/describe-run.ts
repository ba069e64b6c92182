import type { TrainingRound, TrainingRun, TrainingRunSummary } from "@tollgate/contracts/management/training.ts";
import type { ParticipantRound, RoundHistory, RunHistory } from "@tollgate/coordinator/run-history.ts";
import type { RunFolder } from "./run-folders.ts";

/** A participant counts as slow if it takes at least this multiple of the round's median time. */
const SLOW_FACTOR = 2;
/** Minimum number of participants for a meaningful median. */
const FEWEST_COMPARED = 3;

/**
 * Describes a run for the list. Reports an unfinished run as interrupted, because only the run's lock shows that it is
 * running.
 */
export function describeSummary(id: string, history: RunHistory): TrainingRunSummary {
  const { rounds } = history;
  return {
    id,
    name: history.name,
    status: history.state === "open" ? "interrupted" : history.state,
    reason: history.reason,
    startedAt: new Date(history.startedAt),
    updatedAt: new Date(history.updatedAt),
    roundsDone: rounds.filter(({ state }) => state === "committed" || state === "rejected").length,
    roundsTotal: history.plannedRounds,
    participants: history.participants.length,
    lastAccuracy: rounds.findLast(({ accuracy }) => accuracy !== null)?.accuracy ?? null,
    method: history.method,
  };
}

/** Describes a run with an unreadable journal, so that it still appears in the list. */
export function describeUnreadable({ id, changedAtMs }: RunFolder, reason: string): TrainingRunSummary {
  return {
    id,
    name: id,
    status: "unreadable",
    reason,
    startedAt: null,
    updatedAt: new Date(changedAtMs),
    roundsDone: 0,
    roundsTotal: 0,
    participants: 0,
    lastAccuracy: null,
    method: "",
  };
}

/** Describes a run with all its rounds. */
export function describeRun(id: string, history: RunHistory, files: TrainingRun["files"]): TrainingRun {
  const results = history.rounds.flatMap(({ participants }) => participants.map(({ train }) => train?.byteLength ?? 0));
  return {
    ...describeSummary(id, history),
    metric: history.metric,
    parameterBytes: results.findLast((bytes) => bytes > 0) ?? null,
    best: history.best,
    final: history.final,
    members: history.participants.map(({ id: member, roles, quarantined }) => ({
      id: member,
      roles: [...roles],
      quarantined,
    })),
    rounds: history.rounds.map(describeRound),
    files,
  };
}

function describeRound(round: RoundHistory): TrainingRound {
  const slowMs = slowFrom(round);
  return {
    round: round.round,
    state: round.state,
    reason: round.reason,
    startedAt: new Date(round.startedAt),
    finishedAt: round.finishedAt === null ? null : new Date(round.finishedAt),
    durationMs: round.durationMs,
    accuracy: round.accuracy,
    min: round.min,
    max: round.max,
    loss: round.metrics.loss ?? null,
    metrics: { ...round.metrics },
    warnings: [...round.warnings],
    participants: round.participants.map((participant) => describeParticipant(participant, slowMs)),
  };
}

function describeParticipant(
  { id, state, train, evaluate, failure }: ParticipantRound,
  slowMs: number,
): TrainingRound["participants"][number] {
  return {
    id,
    state,
    reason: failure?.reason ?? null,
    code: failure?.code ?? null,
    slow: train !== null && train.durationMs > slowMs,
    accuracy: evaluate?.accuracy ?? null,
    loss: evaluate?.metrics.loss ?? train?.metrics.loss ?? null,
    durationMs: train?.durationMs ?? evaluate?.durationMs ?? null,
    examples: train?.numExamples ?? evaluate?.numExamples ?? null,
    parameterBytes: train?.byteLength ?? null,
    share: train?.share ?? null,
    attempts: train?.attempts ?? null,
  };
}

function slowFrom({ participants }: RoundHistory): number {
  const durations = participants.flatMap(({ train }) => (train === null ? [] : [train.durationMs]));
  if (durations.length < FEWEST_COMPARED) return Number.POSITIVE_INFINITY;
  const sorted = durations.toSorted((one, other) => one - other);
  return (sorted[Math.floor(sorted.length / 2)] as number) * SLOW_FACTOR;
}
