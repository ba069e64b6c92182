import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { TranslatedCall, UpstreamTarget } from "../provider.ts";
import type { Edit } from "./edit-body.ts";

/** Adds to the edits of a body what must change by value, and returns what must not be sent. */
export type FitParams = (
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  edits: Edit[],
  dropped: ReadonlySet<string>,
) => ReadonlySet<string>;

/** Sends parameters under the upstream's own names for them. */
export function renameParams(renames: Readonly<Record<string, string>>): FitParams {
  return (call, _target, edits, dropped) => {
    const request = call.body.request as Readonly<Record<string, unknown>>;
    let left = dropped;
    for (const from in renames) {
      if (request[from] == null || dropped.has(from)) continue;
      // The newer name of the limit wins where a client sends both.
      if (from !== "max_tokens" || request.max_completion_tokens == null) {
        edits.push({ name: renames[from] as string, json: JSON.stringify(request[from]) });
      }
      left = without(left, from);
    }
    return left;
  };
}

/** A parameter that a model knows, but not with this value: left out where someone said so, refused otherwise. */
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

/** The same names with one more. */
export function without(dropped: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return dropped.has(name) ? dropped : new Set([...dropped, name]);
}
