/** Events of a running coordinator. The table, the lines, `--json`, and the live page are built from these events. */
export type RunEvent = { readonly at: string } & (
  | RunStarted
  | ParticipantStateChanged
  | ParticipantProgressed
  | ParticipantFailed
  | RoundStarted
  | ResultReceived
  | TrainingClosed
  | Aggregated
  | EvaluationReceived
  | Evaluated
  | RoundCommitted
  | RoundRejected
  | RoundFailed
  | RunPaused
  | RunFinished
);

/** Phase of a round. */
export type Phase = "select" | "train" | "aggregate" | "evaluate";

/** Current activity of a participant. */
export type ParticipantState =
  | "waiting"
  | "training"
  | "retrying"
  | "trained"
  | "evaluating"
  | "evaluated"
  | "aggregating"
  | "aggregated"
  | "failed"
  | "late"
  | "unavailable"
  | "quarantined"
  | "not selected";

export interface RunStarted {
  readonly type: "run.started";
  readonly run: string;
  readonly name: string;
  readonly dir: string;
  readonly rounds: number;
  readonly method: string;
  readonly participants: readonly { readonly id: string; readonly url: string; readonly roles: readonly string[] }[];
  /** Last committed round if an earlier run was resumed; undefined in a new run. */
  readonly resumedAfterRound?: number;
}

interface ParticipantStateChanged {
  readonly type: "participant.state";
  readonly round: number;
  readonly participant: string;
  readonly state: ParticipantState;
  /** Optional explanation: "connection refused, trying again in 2 s". */
  readonly note?: string;
}

interface ParticipantProgressed {
  readonly type: "participant.progress";
  readonly round: number;
  readonly participant: string;
  readonly phase: Phase;
  readonly step: number;
  readonly total?: number;
  readonly metrics: Readonly<Record<string, number>>;
}

interface ParticipantFailed {
  readonly type: "participant.failed";
  readonly round: number;
  readonly participant: string;
  readonly phase: Phase;
  /** Human-readable: "timeout 3 s", "connection refused", "train: ValueError: …". */
  readonly reason: string;
  /** The participant's own failure code, or UNREACHABLE, LATE, TIMEOUT, or GARBAGE. */
  readonly code: string;
  readonly attempts: number;
  /** True if this was the third failure in a row: the participant sits out and is probed every five rounds. */
  readonly quarantined: boolean;
}

interface RoundStarted {
  readonly type: "round.started";
  readonly round: number;
  readonly rounds: number;
  readonly attempt: number;
  readonly selected: readonly string[];
  /** Number of results required before the round may close without the remaining results. */
  readonly quorum: number;
}

interface ResultReceived {
  readonly type: "result.received";
  readonly round: number;
  readonly participant: string;
  readonly sha256: string;
  readonly byteLength: number;
  readonly numExamples: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly durationMs: number;
  /** Distance from the round's starting parameters; null if they cannot be compared. */
  readonly updateNorm: number | null;
  readonly attempts: number;
}

interface TrainingClosed {
  readonly type: "training.closed";
  readonly round: number;
  /** Members in plan order. `share` is the member's fraction of the weighted mean, after the cap. */
  readonly members: readonly Member[];
  readonly late: readonly string[];
}

export interface Member {
  readonly participant: string;
  readonly weight: number;
  readonly share: number;
  /** True if the share was cut to the plan's `maxShare`. */
  readonly capped: boolean;
}

interface Aggregated {
  readonly type: "aggregated";
  readonly round: number;
  readonly sha256: string;
  readonly byteLength: number;
  readonly method: string;
  /** "coordinator", or the participant that aggregated. */
  readonly by: string;
  readonly durationMs: number;
  readonly warnings: readonly string[];
}

interface EvaluationReceived {
  readonly type: "evaluation.received";
  readonly round: number;
  readonly participant: string;
  readonly accuracy: number;
  readonly numExamples: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly durationMs: number;
}

interface Evaluated {
  readonly type: "evaluated";
  readonly round: number;
  readonly accuracy: number;
  readonly min: number;
  readonly max: number;
  /** Weighted means of the evaluators' metrics, such as `loss`. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly evaluators: number;
  readonly asked: number;
}

/** Outcome of a round, printed on one line. */
export interface RoundSummary {
  readonly round: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly trained: number;
  readonly selected: number;
  readonly evaluated: number;
  readonly evaluators: number;
  /** Null if the round was not evaluated. */
  readonly accuracy: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Value of the metric that the stop rule watches. */
  readonly score: number | null;
  readonly best: boolean;
  readonly sha256: string | null;
  readonly failures: readonly { readonly participant: string; readonly reason: string }[];
}

interface RoundCommitted extends RoundSummary {
  readonly type: "round.committed";
}

/** True if the gate rejected the new parameters, so the previous parameters remain. */
interface RoundRejected extends RoundSummary {
  readonly type: "round.rejected";
  readonly reason: string;
}

interface RoundFailed {
  readonly type: "round.failed";
  readonly round: number;
  readonly attempt: number;
  readonly phase: Phase;
  readonly reason: string;
  /** True if the whole round is retried. */
  readonly retrying: boolean;
}

interface RunPaused {
  readonly type: "run.paused";
  readonly round: number;
  readonly reason: string;
}

/** Reason why the run ended. */
export type FinishReason = "rounds" | "target" | "patience";

export interface RunFinished {
  readonly type: "run.finished";
  readonly reason: FinishReason;
  readonly rounds: number;
  readonly durationMs: number;
  readonly firstAccuracy: number | null;
  readonly lastAccuracy: number | null;
  readonly bestRound: number | null;
  readonly bestScore: number | null;
  /** Round whose parameters are final. */
  readonly finalRound: number;
  readonly sha256: string;
  /** File with the final parameters, such as `final.safetensors`, and a file with the same bytes as base64. */
  readonly finalFile: string;
  readonly finalBase64File: string;
}
