import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { providerNameOf } from "../../model-list/describe-model.ts";
import type { Call } from "../call.ts";
import type { CallOutcome } from "./call-account.ts";

/** A finished call, for display. */
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

/** Receives the record of every call that reached the pipeline. */
export type UsageRecorder = (record: CallRecord) => void;

/** Creates the display record of a finished call. */
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
    errorCode: errorCodeOf(outcome),
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

/**
 * Returns the error code to record, from the failure or from the limit that stopped the read after a client disconnect.
 */
export function errorCodeOf({ failure, endedBy }: CallOutcome): string | null {
  if (failure !== null) return failure.code;
  return endedBy == null ? null : `disconnect_${endedBy}`;
}

/** Returns the HTTP status to record. 499 means that the client disconnected. */
export function statusCodeOf(status: CallOutcome["status"], failed: number | null): number {
  if (failed !== null) return failed;
  if (status === "success") return 200;
  return status === "client_disconnect" ? 499 : 500;
}
