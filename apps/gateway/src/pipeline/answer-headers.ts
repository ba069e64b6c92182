import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import type { UpstreamHeaders } from "../providers/provider.ts";
import { VERSION } from "../version.ts";
import type { ChatCall } from "./call.ts";
import type { UpstreamAnswer } from "./call-upstream.ts";

/** Headers of an upstream that are shown to the client, prefixed; nothing else of it is. */
function isShown(name: string): boolean {
  return (
    name === "x-request-id" ||
    name === "retry-after" ||
    name.startsWith("openai-") ||
    name.startsWith("anthropic-") ||
    name.startsWith("x-ratelimit-")
  );
}

/** The headers that every answer of an inference operation carries, as a flat list. */
export function answerHeaders(call: ChatCall, answer: UpstreamAnswer, exposesUpstream: boolean): string[] {
  const { deployment } = answer;
  const headers = [
    "x-gw-call-id",
    call.exchange.callId,
    "x-gw-model-id",
    deployment.id,
    "x-gw-model-group",
    call.model.shownHeader,
    "x-gw-version",
    VERSION,
    "x-gw-attempted-retries",
    "0",
    "x-gw-attempted-fallbacks",
    "0",
  ];
  if (deployment.region !== null) headers.push("x-gw-model-region", deployment.region);
  if (call.exchange.headers.origin !== null) {
    headers.push("access-control-allow-origin", "*", "access-control-expose-headers", "*");
  }
  if (deployment.apiBase !== null && (exposesUpstream || call.caller.role === "proxy_admin")) {
    headers.push("x-gw-model-api-base", deployment.apiBase);
  }
  if (call.caller.rpmLimit !== null) headers.push("x-gw-key-rpm-limit", String(call.caller.rpmLimit));
  if (call.caller.tpmLimit !== null) headers.push("x-gw-key-tpm-limit", String(call.caller.tpmLimit));
  addUpstreamHeaders(headers, answer.headers);
  return headers;
}

/** What a complete answer adds: its cost, and how long it took here and upstream. */
export function addCostHeaders(
  headers: string[],
  call: ChatCall,
  answer: UpstreamAnswer,
  cost: NanoUsd,
  nowMs: number,
): void {
  const totalMs = nowMs - call.exchange.startedAtMs;
  const upstreamMs = answer.answeredAtMs - answer.sentAtMs;
  headers.push(
    "x-gw-response-cost",
    formatUsd(cost),
    "x-gw-response-cost-nano-usd",
    cost.toString(),
    "x-gw-response-duration-ms",
    tenths(totalMs),
    "x-gw-overhead-duration-ms",
    tenths(Math.max(0, totalMs - upstreamMs)),
  );
}

/** Milliseconds to a tenth: short numbers are cheap to print, and nobody can act on less. */
function tenths(durationMs: number): string {
  return String(Math.round(durationMs * 10) / 10);
}

function addUpstreamHeaders(headers: string[], upstream: UpstreamHeaders): void {
  for (const name in upstream) {
    if (!isShown(name)) continue;
    const value = upstream[name];
    // A value with control characters would be refused by the server and must not cost the client its answer.
    if (typeof value === "string" && /^[\x20-\x7e\t]*$/.test(value)) headers.push(`llm_provider-${name}`, value);
  }
}
