import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import { CLIENT_CLOSED_STATUS, classOfUnsettled, type RequestClass } from "@tollgate/domain/figures/request-class.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { hasClientLeft } from "../call/client-disconnected.ts";
import { sessionOfHeader } from "../call/client-ids.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationName } from "../call/operation-traits.ts";
import { RefusedKey } from "./authenticate.ts";

/** A call of a known key that ended before it had an account, so it caused no cost and has no usage event. */
export interface UnadmittedCall {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  readonly requestId: string;
  /** Session ID sent by the client. If the body was not read or is not JSON, only a header can name a session. */
  readonly session: string | null;
  readonly endpoint: string;
  /** Empty if the body was not read or names an unknown model. */
  readonly modelGroup: string;
  /** The model in the request; null if it is the model group, or if the request names none or was not read. */
  readonly requestedModel: string | null;
  readonly isStream: boolean;
  readonly httpStatus: number;
  /** Null if the client disconnected. */
  readonly errorCode: string | null;
  readonly class: Exclude<RequestClass, "succeeded">;
  /** The request field that caused the failure. */
  readonly param: string | null;
  /** What explains the failure later: its message and fix, the reached limit, or similar models. */
  readonly facts: UnadmittedFacts;
}

/** Facts of a failure as they are stored. They never contain content of the request. */
type UnadmittedFacts = {
  readonly message?: string;
  readonly fix?: string;
  readonly limit?: Failure["facts"]["limit"];
  readonly rateLimit?: Failure["facts"]["rateLimit"];
  readonly retryAfterMs?: number;
  readonly guardrail?: string;
  readonly nearestModels?: readonly string[];
  /** The place and kind of each problem. Their messages can quote the request, so they are left out. */
  readonly problems?: readonly { readonly loc: readonly (string | number)[]; readonly type: string }[];
};

/** Receives calls that were not admitted, for the logs shown to users. Never fails and never waits. */
export interface UnadmittedCallLog {
  note(call: UnadmittedCall): void;
}

/** Maximum stored length of the requested model and of a field's name. */
const MAX_NAME = 200;
/** Maximum stored length of a message. */
const MAX_TEXT = 500;
/** Maximum number of stored validation problems. */
const MAX_PROBLEMS = 10;

/** Logs a call that ended before its account was opened. Calls with unknown keys are not logged. */
export function logUnadmitted(
  log: UnadmittedCallLog,
  exchange: Exchange,
  known: Caller | null,
  call: Call | null,
  operation: OperationName,
  error: unknown,
): void {
  const caller = known ?? callerOfRefusedKey(exchange, error);
  if (caller === null || caller.organizationId === null) return;
  const failure = error instanceof Failure ? error : null;
  // Any other error is a bug, for which the client gets a plain 500.
  const isCanceled = exchange.isGone || hasClientLeft(error);
  const errorCode = isCanceled ? null : (failure?.code ?? "internal_error");
  const httpStatus = isCanceled ? CLIENT_CLOSED_STATUS : (failure?.status ?? 500);
  const modelGroup = call?.model.name ?? refusedModelOf(failure) ?? "";
  const requestedModel = call?.model.shownName ?? exchange.requestedModel ?? exchange.pathModel;
  log.note({
    id: exchange.eventId,
    organizationId: caller.organizationId,
    teamId: caller.teamId,
    keyId: caller.keyId,
    userId: caller.userId,
    requestId: exchange.callId,
    session: call === null ? sessionBeforeCall(exchange) : call.sessionName,
    endpoint: exchange.endpoint ?? operation,
    modelGroup,
    requestedModel: requestedModel === modelGroup ? null : (requestedModel?.slice(0, MAX_NAME) ?? null),
    isStream: call?.isStream ?? false,
    httpStatus,
    errorCode,
    class: classOfUnsettled({ httpStatus, errorCode }),
    param: isCanceled ? null : (failure?.facts.param?.slice(0, MAX_NAME) ?? null),
    facts: isCanceled || failure === null ? {} : factsOf(failure),
  });
}

/**
 * Returns the model group of a call that was refused because of its model. The group replaces the requested name,
 * because clients can send any name that matches a pattern, and usage is summed by group.
 */
function refusedModelOf(failure: Failure | null): string | null {
  const name = failure?.facts.detail?.refusedModel;
  return typeof name === "string" ? name : null;
}

/** Returns the session of a request that did not become a call. */
function sessionBeforeCall({ headers, requestedSession }: Exchange): string | null {
  return requestedSession ?? (headers.session === null ? null : sessionOfHeader(headers.session));
}

/** Returns the caller of a disabled or expired key, whose call was refused before its caller was known. */
function callerOfRefusedKey(exchange: Exchange, error: unknown): Caller | null {
  return error instanceof RefusedKey && exchange.headers.internal === null ? error.caller : null;
}

function factsOf(failure: Failure): UnadmittedFacts {
  if (failure instanceof ValidationFailure) {
    return {
      problems: failure.problems.slice(0, MAX_PROBLEMS).map(({ loc, type }) => ({ loc: loc.map(shorten), type })),
    };
  }
  const { fix, limit, rateLimit, retryAfterMs, nearestModels, providerFields } = failure.facts;
  const guardrail = providerFields?.guardrail_name;
  return {
    // A guardrail's message can quote the content that it found.
    ...(typeof guardrail === "string" ? { guardrail } : { message: failure.message.slice(0, MAX_TEXT) }),
    ...(fix !== undefined && { fix: fix.slice(0, MAX_TEXT) }),
    ...(limit !== undefined && { limit }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(nearestModels !== undefined && { nearestModels }),
  };
}

function shorten(part: string | number): string | number {
  return typeof part === "string" ? part.slice(0, MAX_NAME) : part;
}
