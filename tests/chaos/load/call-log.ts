import type { ModelName } from "../models.ts";
import type { Tenant } from "../stage/tenants.ts";
import type { Instructions } from "../upstream/instructions.ts";

/** A call that a client is about to make. */
export interface CallPlan extends Instructions {
  readonly tenant: Tenant;
  readonly model: ModelName;
  readonly isStream: boolean;
  readonly maxTokens: number;
  /** What the request says besides, such as how often it may be tried again. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Where the client leaves on purpose; null: it stays to the end. */
  readonly hangUp: HangUp | null;
}

export type HangUp =
  | { readonly at: "body" }
  | { readonly at: "answer"; readonly afterMs: number }
  | { readonly at: "chunk"; readonly chunk: number }
  | { readonly at: "end" };

/** What the client saw of a call. Times are Unix milliseconds. */
export interface CallLog {
  readonly plan: CallPlan;
  readonly sentAtMs: number;
  endedAtMs: number;
  /** The load generator was too late to send it: the gateway has seen nothing of it. */
  isUnsent: boolean;
  /** Null when no answer came. */
  status: number | null;
  /** The error code of a refusal or of a broken stream. */
  code: string | null;
  /** The whole answer arrived, its closing mark included. */
  isComplete: boolean;
  /** When each part of a stream was seen; one entry for an answer that came whole. */
  readonly seenAtMs: number[];
  /** Nano-USD, where the answer said it. */
  costSeen: bigint | null;
  /** Why no whole answer came, in the client's words. */
  trouble: string | null;
}

/** A call of which nothing is known yet. */
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

/** Tokens of output that the client has. */
export const tokensSeen = ({ plan, seenAtMs }: CallLog): number => seenAtMs.length * plan.tokensPerChunk;
