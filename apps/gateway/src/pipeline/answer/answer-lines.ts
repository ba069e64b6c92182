import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import type { Exchange } from "../../edge/exchange.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { addressOf } from "../../model-list/describe-deployment.ts";
import type { ChosenModel } from "../../model-list/find-model.ts";
import type { UpstreamHeaders } from "../../providers/provider.ts";
import { VERSION } from "../../version.ts";
import type { CallAccount } from "../account/call-account.ts";
import type { Call } from "../call.ts";
import type { UpstreamAnswer } from "../call-upstream.ts";

/** Version and retry header lines for a call that succeeds on its first attempt. */
const STATIC_LINES = `x-gw-version: ${VERSION}\r\nx-gw-attempted-retries: 0\r\nx-gw-attempted-fallbacks: 0\r\n`;

/** Returns the version and retry header lines for any other call. */
function routeLines({ retries, maxRetries, fallbacks }: Call): string {
  const most = retries > 0 ? `x-gw-max-retries: ${maxRetries}\r\n` : "";
  return `x-gw-version: ${VERSION}\r\nx-gw-attempted-retries: ${retries}\r\n${most}x-gw-attempted-fallbacks: ${fallbacks}\r\n`;
}

/** Prefix of OpenAI's rate limit headers. */
const OPENAI_LIMIT = "x-ratelimit-limit-";
const openAiLimit = /^x-ratelimit-(?:limit|remaining|reset)-(?:requests|tokens)$/;
/** A value that is valid in a header line without escaping. */
const plainValue = /^[\x20-\x7e\t]*$/;

/**
 * Reports whether an upstream header is passed to the client, with a prefix. All other upstream headers are dropped.
 */
function isShown(name: string): boolean {
  return (
    name === "x-request-id" ||
    name === "retry-after" ||
    name.startsWith("openai-") ||
    name.startsWith("anthropic-") ||
    name.startsWith("x-ratelimit-")
  );
}

/** Returns the header lines of every inference response. All values are either the gateway's own or validated. */
export function answerLines(account: CallAccount, answer: UpstreamAnswer, exposesUpstream: boolean): string {
  const { deployment } = answer;
  const { caller, exchange, model, route } = account.call;
  const first = route === null ? STATIC_LINES : routeLines(account.call);
  let lines = `${first}x-gw-call-id: ${exchange.callId}\r\nx-gw-model-id: ${deployment.headerId}\r\nx-gw-model-group: ${model.shownHeader}\r\n`;
  if (exchange.words?.callIdHeader !== undefined) lines += `${exchange.words.callIdHeader}: ${exchange.callId}\r\n`;
  if (deployment.region !== null) lines += `x-gw-model-region: ${checked(deployment.region)}\r\n`;
  if (account.call.guards !== null) lines += `x-gw-applied-guardrails: ${account.call.guards.names.join(",")}\r\n`;
  if (exchange.headers.origin !== null)
    lines += "access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";
  if (exposesUpstream || caller.role === "proxy_admin") lines += addressLine(deployment);
  if (caller.rpmLimit !== null) lines += `x-gw-key-rpm-limit: ${caller.rpmLimit}\r\n`;
  if (caller.tpmLimit !== null) lines += `x-gw-key-tpm-limit: ${caller.tpmLimit}\r\n`;
  if (account.call.cacheEntry !== null) lines += account.call.cacheEntry.missLines;
  const limits = account.limitLines();
  return lines + limits + upstreamLines(answer.headers, !limits.includes(OPENAI_LIMIT));
}

/**
 * Returns the additional header lines for a complete response: its cost, and the time spent in the gateway and
 * upstream.
 */
export function costLines(call: Call, answer: UpstreamAnswer, cost: NanoUsd): string {
  const totalMs = answer.answeredAtMs - call.exchange.startedAtMs;
  const upstreamMs = answer.answeredAtMs - answer.sentAtMs;
  return (
    `x-gw-response-cost: ${formatUsd(cost)}\r\nx-gw-response-cost-nano-usd: ${cost}\r\n` +
    `x-gw-response-duration-ms: ${tenths(totalMs)}\r\nx-gw-overhead-duration-ms: ${tenths(totalMs - upstreamMs)}\r\n`
  );
}

/** Returns the header lines of a replayed response, which costs nothing. */
export function replayLines({ callId, headers }: Exchange, { shownHeader }: ChosenModel): string {
  const origin =
    headers.origin === null ? "" : "access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";
  return `${STATIC_LINES}x-gw-call-id: ${callId}\r\nx-gw-model-group: ${shownHeader}\r\nx-gw-response-cost: 0\r\nx-gw-response-cost-nano-usd: 0\r\n${origin}`;
}

/** Rounds milliseconds to one decimal place, because short numbers are cheap to print and precise enough. */
function tenths(durationMs: number): number {
  return Math.round(Math.max(0, durationMs) * 10) / 10;
}

const addressLines = new WeakMap<Deployment, string>();

/** Returns the deployment's URL without credentials. Cached, because building it for every call takes too long. */
function addressLine(deployment: Deployment): string {
  const known = addressLines.get(deployment);
  if (known !== undefined) return known;
  const address = addressOf(deployment);
  const made = address === null ? "" : `x-gw-model-api-base: ${checked(address)}\r\n`;
  addressLines.set(deployment, made);
  return made;
}

/**
 * Returns the upstream's headers with a prefix. If the key has no rate limits in the gateway, the upstream's rate
 * limits are also included without the prefix.
 */
function upstreamLines(upstream: UpstreamHeaders, reportsLimits: boolean): string {
  let lines = "";
  for (const name in upstream) {
    if (!isShown(name)) continue;
    const value = upstream[name];
    if (typeof value !== "string" || !plainValue.test(value)) continue;
    lines += `llm_provider-${name}: ${value}\r\n`;
    if (reportsLimits && openAiLimit.test(name)) lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Encodes a configured value for use in a header. */
function checked(value: string): string {
  return plainValue.test(value) ? value : encodeURIComponent(value);
}
