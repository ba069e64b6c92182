import type { AggregationMethod } from "@tollgate/participant/aggregation/aggregation-method.ts";
import type { JsonObject, Operation, Row } from "@tollgate/participant/handlers.ts";

/** A validated plan, with all defaults filled in and all durations in milliseconds. */
export interface Plan {
  readonly run: RunPlan;
  readonly participants: readonly ParticipantPlan[];
  readonly round: RoundPlan;
  readonly retry: RetryPlan;
  readonly aggregate: AggregatePlan;
  readonly evaluate: EvaluatePlan;
  readonly stop: StopPlan;
  readonly checkpoint: CheckpointPlan;
  /** Values sent with every call, for use by the participants' functions. */
  readonly config: JsonObject;
}

interface RunPlan {
  readonly name: string;
  readonly rounds: number;
  readonly seed: number;
  /** Run folder; null if the plan doesn't set one. */
  readonly dir: string | null;
  /** File with the parameters for round one. If null, participants start from an untrained model. */
  readonly initial: string | null;
}

export interface ParticipantPlan {
  readonly id: string;
  readonly url: string;
  /** Environment variable with the token. A plan never contains the token itself. */
  readonly tokenEnv: string | null;
  readonly roles: readonly Operation[];
  /** Allows plain HTTP to another machine. */
  readonly insecure: boolean;
  /** Value sent as `dataset`: null for the participant's own data, a registered name, or the rows themselves. */
  readonly dataset: null | DatasetReference | readonly Row[];
  /** Files with a private certificate authority and the coordinator's client certificate. */
  readonly tls: null | { readonly ca: string | null; readonly cert: string | null; readonly key: string | null };
}

export interface DatasetReference {
  readonly ref: string;
  readonly split?: string;
  readonly limit?: number;
}

export interface RoundPlan {
  /** Fraction of the healthy trainers that a round selects. */
  readonly sample: number;
  readonly minTrain: number;
  readonly quorum: number;
  readonly trainTimeoutMs: number;
  readonly graceAfterQuorumMs: number;
  readonly maxConcurrent: number;
}

export interface RetryPlan {
  readonly attempts: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

export interface AggregatePlan {
  readonly by: "coordinator" | "participant";
  readonly method: AggregationMethod;
  readonly weights: "num_examples" | "equal";
  readonly maxShare: number;
  /** `auto` detects each result's format. `opaque` never inspects results and requires `by: participant`. */
  readonly format: "auto" | "safetensors" | "npz" | "npy" | "f32" | "opaque";
  /** Number of participants that aggregate and must return identical bytes. */
  readonly verify: 1 | 2;
  readonly timeoutMs: number;
}

export interface EvaluatePlan {
  /** Interval between evaluations, in rounds; 0 for no evaluation. */
  readonly every: number;
  readonly on: "all" | readonly string[];
  readonly aggregate: "weighted_mean" | "mean";
  readonly timeoutMs: number;
  /** Maximum drop in the score in one round. If null, every round is accepted. */
  readonly gate: number | null;
}

export interface StopPlan {
  readonly metric: string;
  readonly goal: "max" | "min";
  /** Rounds without an improvement of `minDelta` before the run ends. If null, the number is unlimited. */
  readonly patience: number | null;
  readonly minDelta: number;
  readonly target: number | null;
  /** `keep`: the final parameters come from the best round; `last`: from the last round. */
  readonly onDecline: "keep" | "last";
}

interface CheckpointPlan {
  readonly every: number;
  readonly keep: number;
  readonly keepBest: boolean;
}
