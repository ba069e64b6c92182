import type { Contestant } from "../contestants/contestant.ts";
import { groupModel, heldSuffix, upstreamModel, writeChatRequest, writeHttpRequest } from "../wire/chat-request.ts";
import type { Target } from "./commands.ts";

export type CallKind = "json" | "sse" | "held";

/** Returns the generator's target for a contestant. All contestants get the same request. */
export function targetOf(
  contestant: Pick<Contestant, "url" | "headers" | "rewritesModel">,
  kind: CallKind,
  moreBytes = 0,
): Target {
  const url = new URL("/v1/chat/completions", contestant.url);
  const suffix = kind === "held" ? heldSuffix : "";
  const body = writeChatRequest(groupModel + suffix, kind !== "json", moreBytes);
  return {
    host: url.hostname,
    port: Number(url.port),
    isTls: url.protocol === "https:",
    request: writeHttpRequest(url, contestant.headers, body).toString("base64"),
    isStreamed: kind !== "json",
    isHeld: kind === "held",
    model: contestant.rewritesModel ? groupModel + suffix : upstreamModel,
  };
}
