import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import type { ApiContext } from "../edge/rest-context.ts";
import { informationFailures } from "../routes/information-failures.ts";
import type { ResponseStore } from "./response-store.ts";

/** How much of something that is no id at all is shown back. */
const MAX_SHOWN = 64;

/** What is the same in the description of every operation on responses that are kept. */
export const responseRules = {
  tag: "responses",
  auth: "key",
  routeGroup: "inference",
  billing: "free",
  bodyLimitBytes: 64 * 1024,
  timeoutMs: 30_000,
} as const;

/** The refusals every one of them can give. */
export const responseFailures: Readonly<Record<number, AnswerDescription>> = {
  ...informationFailures,
  400: { description: "The request is well-formed but cannot be processed.", schema: ErrorResponse },
  404: { description: "The response does not exist, or the caller has no access to it.", schema: ErrorResponse },
  408: { description: "A timeout expired.", schema: ErrorResponse },
};

/** Where responses are kept, or the refusal when this instance cannot keep any. */
export function storeOf({ responses }: ApiContext): ResponseStore {
  if (responses !== null) return responses;
  throw new Failure("responses_unavailable", "Storing responses requires a database and TOLLGATE_SECRET_KEY.", {
    fix: "Set both and restart. To generate a key, run `openssl rand -hex 32`.",
  });
}

/** An id that may exist. What never can is refused as absent, before the database is asked. */
export function knownId(id: string | undefined): string {
  if (id !== undefined && /^resp_[0-9a-f]{32}$/.test(id)) return id;
  throw absent(id ?? "");
}

/** The refusal of what does not exist, or belongs to somebody else: nobody can tell the two apart. */
export function absent(id: string): Failure {
  return new Failure("not_found", `Response with id '${id.slice(0, MAX_SHOWN)}' not found.`);
}
