import type { NanoUsd } from "@tollgate/domain/money.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChatCall } from "./call.ts";

/** How a call ended, whatever way it ended. */
export interface CallRecord {
  readonly eventId: string;
  readonly callId: string;
  /** Unix time in milliseconds. */
  readonly endedAtMs: number;
  readonly durationMs: number;
  readonly status: "success" | "failure" | "client_disconnect";
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly modelGroup: string;
  readonly deploymentId: string | null;
  readonly provider: string | null;
  readonly keyId: string;
  readonly keyName: string;
  readonly teamId: string | null;
  readonly organizationId: string | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  readonly isStream: boolean;
}

/** Takes the record of every call that reached the pipeline. */
export type UsageRecorder = (record: CallRecord) => void;

/** A byte of English is about a quarter of a token; the estimate errs on the side of too many. */
const BYTES_PER_TOKEN = 3;

/** Usage counted from bytes, for upstreams that report none. */
export function estimateUsage(call: ChatCall, answerBytes: number): Usage {
  return {
    ...NO_USAGE,
    inputTokens: Math.ceil(call.bodyBytes / BYTES_PER_TOKEN),
    outputTokens: Math.ceil(answerBytes / BYTES_PER_TOKEN),
    source: "estimated",
  };
}

/** What the call costs at its deployment's price; an unpriced deployment is worth nothing here. */
export function costOf(deployment: Deployment, usage: Usage): NanoUsd {
  return deployment.price === null ? 0n : priceCall(usage, deployment.price);
}
