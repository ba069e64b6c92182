import { Failure } from "@tollgate/contracts/failures.ts";
import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { JournalWaiter } from "../accounting/accounting.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { type CallOutcome, deliveredAs } from "../accounting/record-usage.ts";
import { malformedResponse } from "../accounting/upstream-failures.ts";
import { usageOf } from "../accounting/usage-of.ts";
import type { BodyPieces } from "../call/body-pieces.ts";
import type { Call, CallGuards } from "../call/call.ts";
import { isAdministrator } from "../call/caller.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment } from "../call/deployment.ts";
import type { Exchange } from "../call/exchange.ts";
import { PiecedAnswer } from "../call/pieced-answer.ts";
import type { ReadAnswer, UpstreamHeaders } from "../call/provider.ts";
import type { UpstreamAnswer } from "../call/upstream-answer.ts";
import { VERSION } from "../call/version.ts";
import { addressOf } from "../models/describe-deployment.ts";
import { RUNS } from "./authenticate.ts";

/** Sends a complete response, with the requested model name, in a single write after its usage is on disk. */
export function relayAnswer(account: CallAccount, answer: UpstreamAnswer, exposesUpstream: boolean): Promise<null> {
  const { guards } = account.call;
  const read = answer.whole as ReadAnswer;
  const usage = usageOf(account, read.usage, read, null);
  if (guards?.checksAnswers === true) return relayGuarded(account, answer, usage, guards, exposesUpstream);
  return relayRead(account, answer, read, usage, exposesUpstream);
}

/**
 * Sends the parts of the response that the guardrails allow. A blocked response was still produced, so it is charged.
 */
async function relayGuarded(
  account: CallAccount,
  answer: UpstreamAnswer,
  usage: Usage,
  guards: CallGuards,
  exposesUpstream: boolean,
): Promise<null> {
  const read = answer.whole as ReadAnswer;
  let text: string;
  try {
    text = await guards.checkAnswer(account.call, read);
  } catch (error) {
    const failure = malformedResponse(error);
    const firstTokenMs = answer.answeredAtMs - account.call.exchange.startedAtMs;
    await closeAndWait(account, { status: "failure", failure, usage, firstTokenMs });
    throw failure;
  }
  return relayRead(account, answer, { ...read, text }, usage, exposesUpstream);
}

/** Closes the call and waits until the journal has recorded it. */
export function closeAndWait(account: CallAccount, outcome: CallOutcome): Promise<void> {
  return new Promise((resolve, reject) => {
    account.close(outcome, { onJournaled: resolve, onJournalFailed: () => reject(usageNotRecorded()) });
  });
}

function relayRead(
  account: CallAccount,
  answer: UpstreamAnswer,
  read: ReadAnswer,
  usage: Usage,
  exposesUpstream: boolean,
): Promise<null> {
  const { call } = account;
  return new Promise((resolve, reject) => {
    const relay = new AnswerRelay(account, answer, read, usage, exposesUpstream, resolve, reject);
    relay.cost = account.close(
      {
        ...deliveredAs(call.exchange),
        usage,
        firstTokenMs: answer.answeredAtMs - call.exchange.startedAtMs,
      },
      relay,
    );
    if (account.keepsContent) account.keepContent(read.text);
  });
}

/** Creates the failure for a call whose usage could not be recorded. */
export function usageNotRecorded(): Failure {
  return new Failure(
    "accounting_unavailable",
    "The usage of this request could not be recorded, so no response was sent.",
  );
}

class AnswerRelay implements JournalWaiter {
  readonly #account: CallAccount;
  readonly #answer: UpstreamAnswer;
  readonly #read: ReadAnswer;
  readonly #usage: Usage;
  readonly #exposesUpstream: boolean;
  readonly #resolve: (answered: null) => void;
  readonly #reject: (failure: Failure) => void;
  cost: NanoUsd = 0n;

  constructor(
    account: CallAccount,
    answer: UpstreamAnswer,
    read: ReadAnswer,
    usage: Usage,
    exposesUpstream: boolean,
    resolve: (answered: null) => void,
    reject: (failure: Failure) => void,
  ) {
    this.#account = account;
    this.#answer = answer;
    this.#read = read;
    this.#usage = usage;
    this.#exposesUpstream = exposesUpstream;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onJournaled(): void {
    const { call } = this.#account;
    if (call.cacheEntry === null && call.claim === null && call.conversation === null) {
      return this.#send(this.#read instanceof PiecedAnswer ? this.#read.pieces : this.#read.text);
    }
    this.#keep(call).then((text) => this.#send(text), this.#reject);
  }

  /**
   * Stores the response for identical requests and returns it. Retries must get the same response as the first client.
   */
  async #keep({ cacheEntry, claim, conversation }: Call): Promise<string> {
    const { contentType = "application/json" } = this.#read;
    const text = cacheEntry === null ? this.#read.text : cacheEntry.complete(this.#read.text);
    cacheEntry?.keep({ text, contentType, deploymentId: this.#answer.deployment.id, usage: this.#usage });
    // The client may continue the response as soon as it arrives, so store it before sending it.
    await conversation?.keeper?.keep(text);
    await claim?.keep({ status: 200, contentType, text });
    return text;
  }

  #send(body: string | BodyPieces): void {
    const { call } = this.#account;
    if (!call.exchange.hasLeft) {
      const lines =
        answerLines(this.#account, this.#answer, this.#exposesUpstream) +
        costLines(call, this.#answer, this.cost) +
        runUsageLine(call, this.#usage, this.cost);
      const { contentType = "application/json" } = this.#read;
      call.exchange.response.sendWhole(`content-type: ${contentType}\r\n${lines}`, body);
    }
    this.#resolve(null);
  }

  onJournalFailed(): void {
    this.#reject(usageNotRecorded());
  }
}

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
  if (exposesUpstream || isAdministrator(caller)) lines += addressLine(deployment);
  if (caller.rpmLimit !== null) lines += `x-gw-key-rpm-limit: ${caller.rpmLimit}\r\n`;
  if (caller.tpmLimit !== null) lines += `x-gw-key-tpm-limit: ${caller.tpmLimit}\r\n`;
  if (account.call.cacheEntry !== null) lines += account.call.cacheEntry.missLines;
  else if (account.call.body.dropped.size > 0 && account.call.body.request.caching === true)
    lines += "x-gw-cache: off\r\n";
  const limits = account.limitLines();
  return lines + limits + upstreamLines(answer.headers, limits);
}

/**
 * Returns the additional header lines for a complete response: its cost, and the time spent in the gateway and
 * upstream.
 */
function costLines(call: Call, answer: UpstreamAnswer, cost: NanoUsd): string {
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
function upstreamLines(upstream: UpstreamHeaders, ownLimits: string): string {
  let lines = "";
  for (const name in upstream) {
    if (!isShown(name)) continue;
    const value = upstream[name];
    if (typeof value !== "string" || !plainValue.test(value)) continue;
    lines += `llm_provider-${name}: ${value}\r\n`;
    if (openAiLimit.test(name) && !ownLimits.includes(OPENAI_LIMIT)) lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Encodes a configured value for use in a header. */
function checked(value: string): string {
  return plainValue.test(value) ? value : encodeURIComponent(value);
}

const LAST_FRAME = "data: [DONE]";

/**
 * Returns the header line that reports the charged usage and its cost to a run's worker, or an empty string for all
 * other callers. The body contains the upstream's report, which may be implausible.
 */
function runUsageLine(call: Call, usage: Usage, cost: NanoUsd): string {
  return call.exchange.endpoint === RUNS ? `x-gw-usage: ${writeUsage(call.exchange, usage, cost)}\r\n` : "";
}

/**
 * Lets the error response to a run's call report what was charged. A response that is sent before the account is closed
 * reports nothing, and neither does one whose charge may not be on disk. The worker then waits for the ledger.
 */
export function reportCharge(exchange: Exchange, account: CallAccount | null, error: unknown): void {
  if (exchange.endpoint !== RUNS || exchange.earlyFailure !== null) return;
  if (account !== null && error instanceof Failure && error.code === "accounting_unavailable") return;
  const { usage, cost } = account?.charged ?? { usage: NO_USAGE, cost: 0n };
  exchange.runUsage = writeUsage(exchange, usage, cost);
}

/** Adds the charged usage and its cost to the last frames of a stream. This usage frame replaces the previous one. */
export function withRunUsage(call: Call, usage: Usage | null, cost: NanoUsd, tail: string): string {
  if (call.exchange.endpoint !== RUNS || usage === null) return tail;
  const end = tail.lastIndexOf(LAST_FRAME);
  if (end < 0) return tail;
  return `${tail.slice(0, end)}data: {"choices":[],"usage":${writeUsage(call.exchange, usage, cost)}}\n\n${tail.slice(end)}`;
}

/** Writes the tokens of the model, and the cost of the request with its moderations, as a run reports them. */
function writeUsage({ besideCost }: Exchange, usage: Usage, ownCost: NanoUsd): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const cost = ownCost + besideCost;
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
  const total = prompt + outputTokens;
  return `{"prompt_tokens":${prompt},"completion_tokens":${outputTokens},"total_tokens":${total},"cost_nano_usd":${cost}}`;
}
