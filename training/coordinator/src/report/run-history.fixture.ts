import type { ParticipantRound, RoundHistory, RunHistory } from "../run-history.ts";

interface HistoryShape {
  readonly rounds: number;
  readonly participants: readonly string[];
  /** Failures by round and participant, with their reasons. */
  readonly failures?: readonly { readonly round: number; readonly id: string; readonly reason: string }[];
}

const START = Date.parse("2026-11-15T14:00:00.000Z");

/** Builds a realistic run: rising scores with some spread, one slow participant, and the given failures. */
export function makeHistory({ rounds, participants, failures = [] }: HistoryShape): RunHistory {
  const list = Array.from({ length: rounds }, (_, index) => makeRound(index + 1));
  const last = list.at(-1);
  return {
    run: "tr_01JCQ7V3Z8Y0M4T6R2W9K5N1XE",
    name: "demo",
    startedAt: new Date(START).toISOString(),
    updatedAt: new Date(START + rounds * 1_400).toISOString(),
    state: "finished",
    reason: "rounds",
    plannedRounds: rounds,
    method: "fedavg",
    metric: "accuracy",
    participants: participants.map((id, index) => ({
      id,
      url: `http://127.0.0.1:${5000 + index}`,
      roles: ["train", "evaluate"],
      quarantined: false,
      failedRoundsInARow: 0,
    })),
    rounds: list,
    best: last === undefined ? null : { round: last.round, score: last.score as number },
    final: last === undefined ? null : { round: last.round, sha256: "ab".repeat(32), reason: "rounds" },
  };

  function makeRound(round: number): RoundHistory {
    const own = participants.map((id, index) => makeParticipant(round, id, index));
    const accuracies = own.flatMap(({ evaluate }) => evaluate?.accuracy ?? []);
    const mean = accuracies.reduce((sum, value) => sum + value, 0) / accuracies.length;
    return {
      round,
      attempt: 1,
      state: "committed",
      reason: null,
      startedAt: new Date(START + (round - 1) * 1_400).toISOString(),
      finishedAt: new Date(START + round * 1_400).toISOString(),
      durationMs: 1_100 + wave(round, 3) * 300,
      selected: participants,
      sha256: "cd".repeat(32),
      aggregatedBy: "coordinator",
      accuracy: mean,
      min: Math.min(...accuracies),
      max: Math.max(...accuracies),
      metrics: { loss: 0.7 * 0.86 ** round },
      score: mean,
      warnings: [],
      participants: own,
    };
  }

  function makeParticipant(round: number, id: string, index: number): ParticipantRound {
    const failure = failures.find((one) => one.round === round && one.id === id);
    const base = 1 - 0.6 * 0.8 ** round + 0.02 * wave(round, index) - 0.01 * index;
    return {
      id,
      state: failure === undefined ? "evaluated" : "failed",
      train:
        failure === undefined
          ? {
              numExamples: 1_600 - 40 * index,
              metrics: {},
              durationMs: 600 + 120 * index + 80 * wave(round, index + 1),
              byteLength: 20,
              attempts: 1,
              updateNorm: 1.8 * 0.9 ** round + 0.1 * index,
              share: 1 / (participants.length - failures.filter((one) => one.round === round).length),
              capped: false,
            }
          : null,
      evaluate:
        failure === undefined
          ? {
              accuracy: base,
              numExamples: 400,
              metrics: { loss: 0.7 * 0.86 ** round + 0.03 * wave(round, index) },
              durationMs: 90,
            }
          : null,
      failure: failure === undefined ? null : { phase: "train", reason: failure.reason, code: "UNREACHABLE" },
    };
  }
}

/** Deterministic value between −1 and 1. */
const wave = (round: number, phase: number) => Math.sin(round * 1.7 + phase * 2.1);
