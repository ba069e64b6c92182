import type { ModelName } from "../models.ts";
import type { Tenant } from "../stage/tenants.ts";
import type { Instructions } from "../upstream/instructions.ts";

/** A call that a client is about to make. */
export interface CallPlan extends Instructions {
  readonly tenant: Tenant;
  readonly model: ModelName;
  readonly isStream: boolean;
  readonly maxTokens: number;
  /** Additional request fields, such as the number of retries. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Point at which the client disconnects on purpose; null if it stays to the end. */
  readonly hangUp: HangUp | null;
}

export type HangUp =
  | { readonly at: "body" }
  | { readonly at: "answer"; readonly afterMs: number }
  | { readonly at: "chunk"; readonly chunk: number }
  | { readonly at: "end" };

/** A call as its client saw it. Times are in Unix milliseconds. */
export interface CallLog {
  readonly plan: CallPlan;
  readonly sentAtMs: number;
  endedAtMs: number;
  /** True if the load generator was too late to send the call, so that the gateway never saw it. */
  isUnsent: boolean;
  /** Null if there was no response. */
  status: number | null;
  /** Error code of a refusal or a broken stream. */
  code: string | null;
  /** True if the whole response arrived, including its final marker. */
  isComplete: boolean;
  /** Arrival time of each chunk of a stream. A response that wasn't streamed has one entry. */
  readonly seenAtMs: number[];
  /** Cost in nano-USD, if the response included it. */
  costSeen: bigint | null;
  /** The client's description of why there was no complete response. */
  trouble: string | null;
}

/** Returns an empty log for a call. */
export function openLog(plan: CallPlan): CallLog {
  return {
    plan,
    sentAtMs: Date.now(),
    endedAtMs: 0,
    isUnsent: false,
    status: null,
    code: null,
    isComplete: false,
    seenAtMs: [],
    costSeen: null,
    trouble: null,
  };
}

/** Returns the number of output tokens that the client received. */
export const tokensSeen = ({ plan, seenAtMs }: CallLog): number => seenAtMs.length * plan.tokensPerChunk;
