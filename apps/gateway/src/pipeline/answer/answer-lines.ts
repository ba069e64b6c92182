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

/** What stays the same in every answer. */
const STATIC_LINES = `x-gw-version: ${VERSION}\r\nx-gw-attempted-retries: 0\r\nx-gw-attempted-fallbacks: 0\r\n`;

/** The same for a call that did not succeed at once. */
function routeLines({ retries, maxRetries, fallbacks }: Call): string {
  const most = retries > 0 ? `x-gw-max-retries: ${maxRetries}\r\n` : "";
  return `x-gw-version: ${VERSION}\r\nx-gw-attempted-retries: ${retries}\r\n${most}x-gw-attempted-fallbacks: ${fallbacks}\r\n`;
}

/** How the lines of a key's own limits begin, under the names OpenAI gives them. */
const OPENAI_LIMIT = "x-ratelimit-limit-";
const openAiLimit = /^x-ratelimit-(?:limit|remaining|reset)-(?:requests|tokens)$/;
/** A value that can stand in a header line as it is. */
const plainValue = /^[\x20-\x7e\t]*$/;

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

/** The header lines that every answer of an inference operation carries. Values are ours, or were checked. */
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

/** What a complete answer adds: its cost, and how long it took here and upstream. */
export function costLines(call: Call, answer: UpstreamAnswer, cost: NanoUsd): string {
  const totalMs = answer.answeredAtMs - call.exchange.startedAtMs;
  const upstreamMs = answer.answeredAtMs - answer.sentAtMs;
  return (
    `x-gw-response-cost: ${formatUsd(cost)}\r\nx-gw-response-cost-nano-usd: ${cost}\r\n` +
    `x-gw-response-duration-ms: ${tenths(totalMs)}\r\nx-gw-overhead-duration-ms: ${tenths(totalMs - upstreamMs)}\r\n`
  );
}

/** The header lines of an answer that was given before and costs nothing now. */
export function replayLines({ callId, headers }: Exchange, { shownHeader }: ChosenModel): string {
  const origin =
    headers.origin === null ? "" : "access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";
  return `${STATIC_LINES}x-gw-call-id: ${callId}\r\nx-gw-model-group: ${shownHeader}\r\nx-gw-response-cost: 0\r\nx-gw-response-cost-nano-usd: 0\r\n${origin}`;
}

/** Milliseconds to a tenth: short numbers are cheap to print, and nobody can act on less. */
function tenths(durationMs: number): number {
  return Math.round(Math.max(0, durationMs) * 10) / 10;
}

/** What the upstream says of itself; of its limits also under their own names, for a key that has none here. */
const addressLines = new WeakMap<Deployment, string>();

/** Where the deployment is, without what an address may carry of credentials. Made once: it takes longer than a call may. */
function addressLine(deployment: Deployment): string {
  const known = addressLines.get(deployment);
  if (known !== undefined) return known;
  const address = addressOf(deployment);
  const made = address === null ? "" : `x-gw-model-api-base: ${checked(address)}\r\n`;
  addressLines.set(deployment, made);
  return made;
}

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

/** A configured value as a header may hold it. */
function checked(value: string): string {
  return plainValue.test(value) ? value : encodeURIComponent(value);
}
