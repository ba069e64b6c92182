import { Failure } from "@tollgate/contracts/failures.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { type CallOutcome, deliveredAs } from "../accounting/record-usage.ts";
import { AbandonedRead, nameDeployment } from "../accounting/upstream-failures.ts";
import { abandonedUsage } from "../accounting/usage-of.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationName } from "../call/operation-traits.ts";
import type { KeyDirectory } from "./authenticate.ts";

/** A refused call with a known key. The call caused no cost. */
export interface Refusal {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  readonly requestId: string;
  readonly endpoint: string;
  /** Empty if the body was not read or names an unknown model. */
  readonly modelGroup: string;
  readonly isStream: boolean;
  readonly httpStatus: number;
  readonly errorCode: string;
}

/** Receives refused calls, for the logs shown to users. May drop calls, but never fails. */
export interface RefusalLog {
  note(refusal: Refusal): void;
}

/** Statuses for problems that users can fix: a disabled key, a missing permission, or an exceeded limit. */
const notedStatuses: readonly number[] = [401, 403, 429];

/**
 * Logs a call that was refused before its account was opened. Failures with other statuses and calls with unknown keys
 * are not logged.
 */
export function noteRefusal(
  log: RefusalLog,
  keys: KeyDirectory,
  exchange: Exchange,
  known: Caller | null,
  call: Call | null,
  operation: OperationName,
  error: unknown,
): void {
  if (!(error instanceof Failure) || !notedStatuses.includes(error.status)) return;
  const caller = known ?? findRefusedKey(keys, exchange, error);
  if (caller === null || caller.organizationId === null) return;
  log.note({
    id: exchange.eventId,
    organizationId: caller.organizationId,
    teamId: caller.teamId,
    keyId: caller.keyId,
    userId: caller.userId,
    requestId: exchange.callId,
    endpoint: exchange.endpoint ?? operation,
    modelGroup: call?.model.name ?? refusedModelOf(error) ?? exchange.pathModel ?? "",
    isStream: call?.isStream ?? false,
    httpStatus: error.status,
    errorCode: error.code,
  });
}

/**
 * Returns the model group of a call that was refused because of its model. The group replaces the requested name,
 * because clients can send any name that matches a pattern.
 */
function refusedModelOf({ facts }: Failure): string | null {
  const name = facts.detail?.refusedModel;
  return typeof name === "string" ? name : null;
}

/** Finds a disabled or expired key, whose call was refused before its caller was resolved. */
function findRefusedKey(keys: KeyDirectory, exchange: Exchange, { code }: Failure): Caller | null {
  const isKeyKnown = code === "expired_key" || code === "key_blocked";
  if (!isKeyKnown || exchange.headers.internal !== null) return null;
  return keys.recall(exchange.lastKey.digest) ?? null;
}

/**
 * Ends a failed call. Lets the caller retry with the same idempotency key, releases the hold, and returns the error for
 * the caller.
 */
export async function endFailed(call: Call | null, account: CallAccount | null, error: unknown): Promise<unknown> {
  if (call !== null && call.claim !== null) await call.claim.release();
  if (account === null) return error;
  if (!account.isClosed) account.close(failedOutcome(account, error), null);
  return error instanceof Failure ? nameDeployment(error, account.deployment, account.call) : error;
}

/** Returns the outcome of a call that failed before any of its response was sent. */
function failedOutcome(account: CallAccount, error: unknown): CallOutcome {
  const { exchange } = account.call;
  const firstTokenMs = null;
  if (error instanceof AbandonedRead) {
    const usage = error.wasSent ? abandonedUsage(account, null, null, error.limit) : NO_USAGE;
    return { ...deliveredAs(exchange), usage, firstTokenMs, endedBy: error.limit };
  }
  if (exchange.isGone) return { ...deliveredAs(exchange), usage: NO_USAGE, firstTokenMs };
  return { status: "failure", failure: error instanceof Failure ? error : null, usage: NO_USAGE, firstTokenMs };
}
