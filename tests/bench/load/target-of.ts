import type { Contestant } from "../contestants/contestant.ts";
import {
  groupModel,
  heldSuffix,
  longSuffix,
  upstreamModel,
  writeChatRequest,
  writeHttpRequest,
} from "../wire/chat-request.ts";
import type { Target } from "./commands.ts";

/** `long` is a JSON call with a long response. */
export type CallKind = "json" | "long" | "sse" | "held";

const suffixes: Readonly<Record<CallKind, string>> = { json: "", long: longSuffix, sse: "", held: heldSuffix };

/** Returns the generator's target for a contestant. All contestants get the same request. */
export function targetOf(
  contestant: Pick<Contestant, "url" | "headers" | "rewritesModel">,
  kind: CallKind,
  moreBytes = 0,
): Target {
  const url = new URL("/v1/chat/completions", contestant.url);
  const suffix = suffixes[kind];
  const isStreamed = kind === "sse" || kind === "held";
  const body = writeChatRequest(groupModel + suffix, isStreamed, moreBytes);
  return {
    host: url.hostname,
    port: Number(url.port),
    isTls: url.protocol === "https:",
    request: writeHttpRequest(url, contestant.headers, body).toString("base64"),
    isStreamed,
    isLong: kind === "long",
    isHeld: kind === "held",
    model: contestant.rewritesModel ? groupModel + suffix : upstreamModel,
  };
}
