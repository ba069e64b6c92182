import type { FinishReason, Member, Phase } from "../run-events.ts";

type Numbers = Readonly<Record<string, number>>;

/** One durable step of a run. Replaying all steps restores the coordinator's state. */
export type JournalEntry = { readonly at: string } & JournalFact;

export type JournalFact =
  | RunStartedFact
  | RunResumedFact
  | RoundStartedFact
  | ResultReceivedFact
  | ParticipantFailedFact
  | TrainingClosedFact
  | AggregatedFact
  | EvaluatedFact
  | CommittedFact
  | RejectedFact
  | RoundFailedFact
  | RunPausedFact
  | RunFailedFact
  | RunFinishedFact;

/** The part of the plan that the history needs. The whole plan is in plan.json. */
export interface PlanSummary {
  readonly name: string;
  readonly rounds: number;
  readonly method: string;
  readonly metric: string;
  readonly participants: readonly { readonly id: string; readonly url: string; readonly roles: readonly string[] }[];
}

interface RunStartedFact {
  readonly type: "run.started";
  readonly run: string;
  readonly plan: PlanSummary;
  readonly initial: string | null;
}

/**
 * Written when a run resumes after a pause, a failure, or its end, or with a changed plan. Resuming after a crash adds
 * no entry.
 */
interface RunResumedFact {
  readonly type: "run.resumed";
  readonly plan: PlanSummary;
}

export interface RoundStartedFact {
  readonly type: "round.started";
  readonly round: number;
  readonly attempt: number;
  /** Parameters that all participants start from, and the server state before the round. */
  readonly base: string | null;
  readonly state: string | null;
  readonly selected: readonly string[];
  readonly quorum: number;
  readonly quarantined: readonly string[];
}

/** Written once the blob is durable, so that a counted result is never lost. */
export interface ResultReceivedFact {
  readonly type: "result.received";
  readonly round: number;
  readonly participant: string;
  readonly sha256: string;
  readonly byteLength: number;
  /** Weight before the cap. */
  readonly weight: number;
  readonly numExamples: number | null;
  readonly metrics: Numbers;
  readonly durationMs: number;
  readonly attempts: number;
  readonly updateNorm: number | null;
}

export interface ParticipantFailedFact {
  readonly type: "participant.failed";
  readonly round: number;
  readonly participant: string;
  readonly phase: Phase;
  readonly reason: string;
  readonly code: string;
  readonly attempts: number;
}

/** Finalizes the members of the round. Later results are ignored. */
export interface TrainingClosedFact {
  readonly type: "training.closed";
  readonly round: number;
  readonly members: readonly Member[];
  readonly late: readonly string[];
}

export interface AggregatedFact {
  readonly type: "aggregated";
  readonly round: number;
  readonly sha256: string;
  readonly byteLength: number;
  /** Null for opaque parameters. */
  readonly format: string | null;
  readonly state: string | null;
  readonly by: string;
  readonly durationMs: number;
  readonly warnings: readonly string[];
}

export interface EvaluationResult {
  readonly participant: string;
  readonly accuracy: number;
  readonly weight: number;
  readonly numExamples: number | null;
  readonly metrics: Numbers;
  readonly durationMs: number;
}

export interface EvaluatedFact {
  readonly type: "evaluated";
  readonly round: number;
  readonly asked: number;
  readonly results: readonly EvaluationResult[];
  readonly accuracy: number;
  readonly min: number;
  readonly max: number;
  readonly metrics: Numbers;
  /** Value of the metric that the stop rule uses; null if it was not reported. */
  readonly score: number | null;
}

export interface CommittedFact {
  readonly type: "committed";
  readonly round: number;
  readonly sha256: string;
  readonly state: string | null;
  readonly score: number | null;
  readonly best: boolean;
  readonly durationMs: number;
}

interface RejectedFact {
  readonly type: "rejected";
  readonly round: number;
  readonly reason: string;
  readonly score: number | null;
  readonly durationMs: number;
}

interface RoundFailedFact {
  readonly type: "round.failed";
  readonly round: number;
  readonly attempt: number;
  readonly phase: Phase;
  readonly reason: string;
}

interface RunPausedFact {
  readonly type: "run.paused";
  readonly round: number;
  readonly reason: string;
}

interface RunFailedFact {
  readonly type: "run.failed";
  readonly round: number;
  readonly reason: string;
}

interface RunFinishedFact {
  readonly type: "run.finished";
  readonly reason: FinishReason;
  readonly round: number;
  readonly finalRound: number;
  readonly sha256: string;
}
