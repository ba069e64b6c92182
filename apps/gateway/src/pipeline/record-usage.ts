import type { NanoUsd } from "@tollgate/domain/money.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../model-list/deployment.ts";
import { providerNameOf } from "../model-list/describe-model.ts";
import { countPrompt } from "../tokens/count-prompt.ts";
import type { Call } from "./call.ts";
import type { CallOutcome } from "./call-account.ts";
import { estimateInput } from "./estimate-call.ts";

/** How a call ended, for whoever shows calls to people. */
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

/** A price and the name the ledger knows it by; null is unpriced, which is not the same as free. */
export type Priced = Pick<Deployment, "price" | "priceVersionId">;

/** What the call costs at a price; an unpriced deployment is worth nothing here. */
export function costOf({ price }: Priced, usage: Usage): NanoUsd {
  return price === null ? 0n : priceCall(usage, price);
}

/** A cut-off call is counted as well as can be; a running one only well enough for what is needed should we die. */
const CAREFUL_CHARACTERS = 256 * 1024;
const QUICK_CHARACTERS = 16 * 1024;

/** What a call that still runs has used, as far as we counted. The prompt is counted once. */
export function usageSoFar(call: Call, deployment: Deployment, outputTokens: number): Usage {
  if (call.kind.keepsRequest === true) return call.kind.countUsage(call, deployment, null, outputTokens);
  call.roughInput ??= countInput(call, deployment, QUICK_CHARACTERS);
  return { ...NO_USAGE, inputTokens: call.roughInput, outputTokens, source: "estimated" };
}

/** Tokens of the prompt, as well as can be counted in reasonable time. */
export function countInput(call: Call, deployment: Deployment, mostCharacters = CAREFUL_CHARACTERS): number {
  const { prompt } = call;
  const most = estimateInput(call, deployment);
  return prompt === null ? most : Math.min(most, countPrompt(prompt, mostCharacters));
}

export function recordOf(
  call: Call,
  deployment: Deployment,
  outcome: CallOutcome,
  cost: NanoUsd,
  endedAtMs: number,
  durationMs: number,
): CallRecord {
  const { exchange, caller, model } = call;
  const { status, failure, usage } = outcome;
  return {
    eventId: exchange.eventId,
    callId: exchange.callId,
    endedAtMs,
    durationMs,
    status,
    statusCode: statusCodeOf(status, failure?.status ?? null),
    errorCode: failure?.code ?? null,
    modelGroup: model.name,
    deploymentId: deployment.id,
    provider: providerNameOf(deployment),
    keyId: caller.keyId,
    keyName: caller.keyName,
    teamId: caller.teamId,
    organizationId: caller.organizationId,
    usage,
    cost,
    isStream: call.isStream,
  };
}

/** The status an ended call is remembered by. 499 is what a client gets that did not wait for its answer. */
export function statusCodeOf(status: CallOutcome["status"], failed: number | null): number {
  if (failed !== null) return failed;
  if (status === "success") return 200;
  return status === "client_disconnect" ? 499 : 500;
}
