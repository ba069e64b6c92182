import type { FinishReason, ParticipantState, Phase } from "./run-events.ts";

/** A run, derived from its journal: the source of the report, the plots, `train status`, and `metrics.csv`. */
export interface RunHistory {
  readonly run: string;
  readonly name: string;
  readonly startedAt: string;
  /** Time of the last journal entry. */
  readonly updatedAt: string;
  /** `open`: running or interrupted (the lock file shows which). */
  readonly state: "open" | "paused" | "failed" | "finished";
  /** Reason for the pause, failure, or finish. */
  readonly reason: string | null;
  readonly plannedRounds: number;
  readonly method: string;
  /** Metric used by the stop rule and `best`. */
  readonly metric: string;
  readonly participants: readonly ParticipantHistory[];
  /** One entry per round number, in order. The last round may be open. */
  readonly rounds: readonly RoundHistory[];
  readonly best: { readonly round: number; readonly score: number } | null;
  readonly final: { readonly round: number; readonly sha256: string; readonly reason: FinishReason } | null;
}

interface ParticipantHistory {
  readonly id: string;
  readonly url: string;
  readonly roles: readonly string[];
  readonly quarantined: boolean;
  readonly failedRoundsInARow: number;
}

export interface RoundHistory {
  readonly round: number;
  readonly attempt: number;
  readonly state: "training" | "aggregating" | "evaluating" | "committed" | "rejected" | "failed";
  readonly reason: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  readonly selected: readonly string[];
  /** Hash of the aggregated parameters; null before aggregation. */
  readonly sha256: string | null;
  readonly aggregatedBy: string | null;
  readonly accuracy: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Weighted means over the evaluators, such as `loss`. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly score: number | null;
  readonly warnings: readonly string[];
  /** All participants that were selected, evaluated, or failed, in plan order. */
  readonly participants: readonly ParticipantRound[];
}

export interface ParticipantRound {
  readonly id: string;
  readonly state: ParticipantState;
  readonly train: TrainHistory | null;
  readonly evaluate: EvaluateHistory | null;
  readonly failure: FailureHistory | null;
}

export interface TrainHistory {
  readonly numExamples: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly durationMs: number;
  readonly byteLength: number;
  readonly attempts: number;
  readonly updateNorm: number | null;
  /** Null until training has closed, or if the result was dropped. */
  readonly share: number | null;
  readonly capped: boolean;
}

export interface EvaluateHistory {
  readonly accuracy: number;
  readonly numExamples: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly durationMs: number;
}

export interface FailureHistory {
  readonly phase: Phase;
  readonly reason: string;
  readonly code: string;
}
