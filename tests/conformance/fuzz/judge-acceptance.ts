import { findMismatch, type Resolve } from "@tollgate/testkit/json-schema.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import type { Answer } from "./send-request.ts";
import { requestSources } from "./valid-requests.ts";

interface Problem {
  readonly loc: readonly (string | number)[];
  readonly type: string;
}

/**
 * Returns an error if the gateway's published schema and its behavior disagree on whether the body is valid; otherwise
 * null. Checks only paths without a model, because the body may omit the model on other paths.
 */
export function judgeAcceptance(
  { operation, method, body }: FuzzRequest,
  path: string,
  { status, body: answered }: Answer,
  resolve: Resolve,
): string | null {
  const isJudged =
    operation.body !== null &&
    !operation.isForm &&
    method === operation.method &&
    operation.paths.includes(path.split("?")[0] as string);
  if (!isJudged || (status !== 200 && status !== 422)) return null;
  const mismatch = findMismatch(operation.body ?? {}, parse(body), resolve);
  if (operation.isBodyOptional && (body === null || body.length === 0)) return null;
  if (status === 200) return mismatch === null ? null : `accepted, but the published schema forbids it: ${mismatch}`;
  const detail = problemsIn(answered);
  const isBeyondSchemas = requestSources[operation.id]?.isBeyondSchemas ?? (() => false);
  const problem = detail?.find((one) => one.loc[0] === "body" && one.type !== "json_invalid" && !isBeyondSchemas(one));
  if (mismatch !== null || problem === undefined) return null;
  return `refused, but the published schema allows it: ${JSON.stringify(problem)}`;
}

/** Returns the problems that an error body lists, in the error format of either API. */
function problemsIn(answered: string): readonly Problem[] | undefined {
  const { detail, error } = JSON.parse(answered) as {
    readonly detail?: readonly Problem[];
    readonly error?: { readonly details?: { readonly problems?: readonly Problem[] } };
  };
  return detail ?? error?.details?.problems;
}

function parse(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
