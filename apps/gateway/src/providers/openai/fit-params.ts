import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { TranslatedCall, UpstreamTarget } from "../provider.ts";
import type { Edit } from "./edit-body.ts";

/**
 * Adds edits for parameters whose change depends on their value. Returns the names of the members that must not be
 * sent.
 */
export type FitParams = (
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  edits: Edit[],
  dropped: ReadonlySet<string>,
) => ReadonlySet<string>;

/** Renames parameters to the upstream's names. */
export function renameParams(renames: Readonly<Record<string, string>>): FitParams {
  return (call, _target, edits, dropped) => {
    const request = call.body.request as Readonly<Record<string, unknown>>;
    let left = dropped;
    for (const from in renames) {
      if (request[from] == null || dropped.has(from)) continue;
      // If a client sends the output limit under both names, the newer name takes precedence.
      if (from !== "max_tokens" || request.max_completion_tokens == null) {
        edits.push({ name: renames[from] as string, json: JSON.stringify(request[from]) });
      }
      left = without(left, from);
    }
    return left;
  };
}

/**
 * Handles a parameter whose value the model doesn't support. Drops the parameter if that is allowed, and otherwise
 * rejects the request.
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

/** Returns the dropped names, including this name. */
export function without(dropped: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return dropped.has(name) ? dropped : new Set([...dropped, name]);
}
