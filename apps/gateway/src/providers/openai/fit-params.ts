import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { TranslatedCall, UpstreamTarget } from "../provider.ts";
import type { Edit } from "./edit-body.ts";

/** Adds edits for parameters that must change by value. Returns the members that must not be sent. */
export type FitParams = (
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  edits: Edit[],
  dropped: ReadonlySet<string>,
) => ReadonlySet<string>;

/** Sends parameters under the upstream's own names. */
export function renameParams(renames: Readonly<Record<string, string>>): FitParams {
  return (call, _target, edits, dropped) => {
    const request = call.body.request as Readonly<Record<string, unknown>>;
    let left = dropped;
    for (const from in renames) {
      if (request[from] == null || dropped.has(from)) continue;
      // If a client sends both, the newer name of the limit takes precedence.
      if (from !== "max_tokens" || request.max_completion_tokens == null) {
        edits.push({ name: renames[from] as string, json: JSON.stringify(request[from]) });
      }
      left = without(left, from);
    }
    return left;
  };
}

/**
 * Handles a parameter whose value the model doesn't support. It is dropped if that is allowed, and otherwise rejected.
 */
export function dropOrRefuse(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  name: string,
  message: string,
): ReadonlySet<string> {
  const { drop_params: drops } = call.body.request;
  if (drops ?? target.dropsParams ?? false) return without(dropped, name);
  throw new Failure("unsupported_parameter", message, { param: name });
}

/** Returns the dropped names plus one more. */
export function without(dropped: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return dropped.has(name) ? dropped : new Set([...dropped, name]);
}
