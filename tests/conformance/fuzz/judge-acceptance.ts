import type { FuzzRequest } from "./fuzz-request.ts";
import { findMismatch, type Resolve } from "./json-schema.ts";
import type { Answer } from "./send-request.ts";

interface Problem {
  readonly loc: readonly (string | number)[];
  readonly type: string;
}

/**
 * Whether the gateway takes exactly the bodies its description allows, or null when it does. Where the path names the
 * model the body need not, so only the other paths are judged.
 */
export function judgeAcceptance(
  { operation, method, body }: FuzzRequest,
  path: string,
  { status, body: answered }: Answer,
  resolve: Resolve,
): string | null {
  const isJudged =
    operation.body !== null && method === operation.method && operation.paths.includes(path.split("?")[0] as string);
  if (!isJudged || (status !== 200 && status !== 422)) return null;
  const mismatch = findMismatch(operation.body ?? {}, parse(body), resolve);
  if (status === 200) return mismatch === null ? null : `accepted, but the published schema forbids it: ${mismatch}`;
  const { detail } = JSON.parse(answered) as { detail?: readonly Problem[] };
  const problem = detail?.find((one) => one.loc[0] === "body" && !isBeyondSchemas(one));
  if (mismatch !== null || problem === undefined) return null;
  return `refused, but the published schema allows it: ${JSON.stringify(problem)}`;
}

/** An assistant message must say something in one of five ways, which the published schema leaves to the text. */
function isBeyondSchemas({ loc, type }: Problem): boolean {
  return type === "missing" && loc[1] === "messages" && loc.at(-1) === "content";
}

function parse(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
