import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import type { ResponseStore } from "../../responses/response-store.ts";
import type { ApiContext } from "../api-context.ts";

/** Maximum number of characters of an invalid ID to echo back. */
const MAX_SHOWN = 64;

/** Shared description fields of all operations on stored responses. */
export const responseRules = {
  tag: "responses",
  auth: "key",
  routeGroup: "inference",
  billing: "free",
  bodyLimitBytes: 64 * 1024,
  timeoutMs: 30_000,
} as const;

/** Failures that every operation on stored responses can return. */
export const responseFailures: Readonly<Record<number, AnswerDescription>> = {
  ...informationFailures,
  400: { description: "The request is well-formed but cannot be processed.", schema: ErrorResponse },
  404: { description: "The response does not exist, or the caller has no access to it.", schema: ErrorResponse },
  408: { description: "A timeout expired.", schema: ErrorResponse },
};

/** Returns the response store. Throws if this instance cannot store responses. */
export function storeOf({ responses }: ApiContext): ResponseStore {
  if (responses !== null) return responses;
  throw new Failure("responses_unavailable", "Storing responses requires a database and TOLLGATE_SECRET_KEY.", {
    fix: "Set both and restart. To generate a key, run `openssl rand -hex 32`.",
  });
}

/** Returns the ID if it is well-formed. Rejects any other value as not found, without a database query. */
export function knownId(id: string | undefined): string {
  if (id !== undefined && /^resp_[0-9a-f]{32}$/.test(id)) return id;
  throw absent(id ?? "");
}

/** Returns the not-found failure, which is the same for a missing response and for a response of another owner. */
export function absent(id: string): Failure {
  return new Failure("not_found", `Response with id '${id.slice(0, MAX_SHOWN)}' not found.`);
}
