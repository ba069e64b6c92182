import { Failure } from "@tollgate/contracts/failures.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import type { KeyDirectory } from "./authenticate.ts";
import type { Call } from "./call.ts";
import type { Caller } from "./caller.ts";

/** A call of a known key that was refused before it cost anything. */
export interface Refusal {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  readonly requestId: string;
  readonly endpoint: string;
  /** Empty when the body was not read, or names no model of ours. */
  readonly modelGroup: string;
  readonly isStream: boolean;
  readonly httpStatus: number;
  readonly errorCode: string;
}

/** Takes what was refused, for the logs that people see. It may forget some, and never fails. */
export interface RefusalLog {
  note(refusal: Refusal): void;
}

/** What people can do something about: a key that is off, a right that is missing, a limit that is reached. */
const notedStatuses: readonly number[] = [401, 403, 429];

/** Tells the log of a call that ended before its account was opened. Other failures, and keys nobody knows, leave no trace. */
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

/** Of a call that was refused for its model: the group that it is of, because clients may invent names under a pattern. */
function refusedModelOf({ facts }: Failure): string | null {
  const name = facts.detail?.refusedModel;
  return typeof name === "string" ? name : null;
}

/** A key that is disabled or has expired is refused before anybody is told whose it is. */
function findRefusedKey(keys: KeyDirectory, exchange: Exchange, { code }: Failure): Caller | null {
  const isKeyKnown = code === "expired_key" || code === "key_blocked";
  if (!isKeyKnown || exchange.headers.internal !== null) return null;
  return keys.recall(exchange.lastKey.digest) ?? null;
}
