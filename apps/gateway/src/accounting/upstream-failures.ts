import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { findUsage } from "../providers/openai/read-answer.ts";
import type { ReadLimit } from "./record-usage.ts";

/**
 * The failure of an attempt that the gateway stopped reading although the upstream had not failed. This failure is
 * never sent to a client.
 */
export class AbandonedRead extends Failure {
  /** Null if reading stopped for another reason, for example because the deployment aborts on disconnect. */
  readonly limit: ReadLimit | null;
  /** True if the upstream may have received the request. Otherwise, the upstream can't have billed the call. */
  readonly wasSent: boolean;

  constructor(limit: ReadLimit | null, wasSent: boolean) {
    super("invalid_request", "The gateway stopped reading the response after the client had disconnected.");
    this.limit = limit;
    this.wasSent = wasSent;
  }
}

/** Creates the failure for an upstream that could not be reached. */
export function unreachable(cause: unknown): Failure {
  return new Failure("upstream_unreachable", "The model could not be reached.", { cause });
}

/** Creates the failure for a connection that was lost during the response. */
export function cutShort(cause: unknown): Failure {
  return new Failure("upstream_unreachable", "The connection to the model was lost before its response was complete.", {
    cause,
    detail: { wasAnswering: true },
  });
}

/** Creates the failure for a response that can't be read. */
export function unreadable(message: string): Failure {
  return new Failure("bad_gateway", message);
}

/** Converts a translation error to the failure for a malformed response. Returns a Failure unchanged. */
export function malformedResponse(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("bad_gateway", "The model sent an invalid response.", { cause });
}

/** Adds the last deployment tried and the number of attempts to a failure, for the response headers. */
export function nameDeployment(failure: Failure, deployment: Deployment, call: Call): Failure {
  const { facts } = failure;
  const { model, retries, maxRetries, fallbacks } = call;
  const route = { modelId: deployment.headerId, modelGroup: model.shownHeader, retries, maxRetries, fallbacks };
  return new Failure(failure.code, failure.message, {
    ...facts,
    detail: { ...facts.detail, ...route },
    cause: failure,
  });
}

/** Attaches the usage of a failed attempt, which the provider bills, to its failure. */
export function withProduced(failure: Failure, usage: Usage): Failure {
  const { facts } = failure;
  return new Failure(failure.code, failure.message, { ...facts, detail: { ...facts.detail, produced: usage } });
}

/** Returns the usage of a failed attempt, or null if the provider doesn't bill it. */
export function producedUsage(failure: Failure): Usage | null {
  return (failure.facts.detail?.produced as Usage | undefined) ?? null;
}

/** Returns the usage of a malformed response: the usage that it reports, if readable, or else the gateway's count. */
export function countProduced(call: Call, deployment: Deployment, text: string): Usage {
  return findUsage(text)?.usage ?? call.kind.countUsage(call, deployment, text === "" ? null : text, 0);
}
