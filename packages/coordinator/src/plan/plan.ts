import type { AggregationMethod } from "@tollgate/sdk/training/aggregation/aggregation-method.ts";
import type { JsonObject, Operation, Row } from "@tollgate/sdk/training/handlers.ts";

/** A plan after checking: every default filled in, every duration in milliseconds. */
export interface Plan {
  readonly run: RunPlan;
  readonly participants: readonly ParticipantPlan[];
  readonly round: RoundPlan;
  readonly retry: RetryPlan;
  readonly aggregate: AggregatePlan;
  readonly evaluate: EvaluatePlan;
  readonly stop: StopPlan;
  readonly checkpoint: CheckpointPlan;
  /** Sent with every call, for the participants' own functions. */
  readonly config: JsonObject;
}

export interface RunPlan {
  readonly name: string;
  readonly rounds: number;
  readonly seed: number;
  /** Where the run folder is; null: whoever starts the run says. */
  readonly dir: string | null;
  /** A file with the parameters of round one; null: participants start from an untrained model. */
  readonly initial: string | null;
}

export interface ParticipantPlan {
  readonly id: string;
  readonly url: string;
  /** The environment variable that holds the token; the token itself never stands in a plan. */
  readonly tokenEnv: string | null;
  readonly roles: readonly Operation[];
  /** Plain HTTP to another machine is allowed. */
  readonly insecure: boolean;
  /** What is sent as `dataset`: null for the participant's own data, a registered name, or the rows themselves. */
  readonly dataset: null | DatasetReference | readonly Row[];
  /** Files of an own certificate authority and of the coordinator's client certificate. */
  readonly tls: null | { readonly ca: string | null; readonly cert: string | null; readonly key: string | null };
}

export interface DatasetReference {
  readonly ref: string;
  readonly split?: string;
  readonly limit?: number;
}

export interface RoundPlan {
  /** The part of the healthy trainers that a round selects. */
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
  /** `auto` recognises each result; `opaque` never looks inside and needs `by: participant`. */
  readonly format: "auto" | "safetensors" | "npz" | "npy" | "f32" | "opaque";
  /** How many participants aggregate and must agree on the bytes. */
  readonly verify: 1 | 2;
  readonly timeoutMs: number;
}

export interface EvaluatePlan {
  /** 0: never. */
  readonly every: number;
  readonly on: "all" | readonly string[];
  readonly aggregate: "weighted_mean" | "mean";
  readonly timeoutMs: number;
  /** The largest drop of the score that a round may bring; null: every round is taken. */
  readonly gate: number | null;
}

export interface StopPlan {
  readonly metric: string;
  readonly goal: "max" | "min";
  /** Rounds without improvement by `minDelta` before the run ends; null: never. */
  readonly patience: number | null;
  readonly minDelta: number;
  readonly target: number | null;
  /** `keep`: the final parameters are the best round's; `last`: the last round's. */
  readonly onDecline: "keep" | "last";
}

export interface CheckpointPlan {
  readonly every: number;
  readonly keep: number;
  readonly keepBest: boolean;
}
