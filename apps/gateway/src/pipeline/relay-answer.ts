import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ReadAnswer } from "../providers/provider.ts";
import type { JournalWaiter } from "./account/accounting.ts";
import type { CallAccount, CallOutcome } from "./account/call-account.ts";
import { deliveredAs } from "./account/failed-outcome.ts";
import { usageOf } from "./account/usage-of.ts";
import { answerLines, costLines } from "./answer/answer-lines.ts";
import type { CallGuards } from "./answer/call-guards.ts";
import { runUsageLine } from "./answer/run-usage.ts";
import type { Call } from "./call.ts";
import type { UpstreamAnswer } from "./call-upstream.ts";
import { malformedResponse } from "./upstream/malformed-response.ts";

/** Sends a complete response, with the requested model name, in a single write after its usage is on disk. */
export function relayAnswer(account: CallAccount, answer: UpstreamAnswer, exposesUpstream: boolean): Promise<null> {
  const { guards } = account.call;
  const read = answer.whole as ReadAnswer;
  const usage = usageOf(account, read.usage, read.text, null);
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
      return this.#send(this.#read.text);
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

  #send(text: string): void {
    const { call } = this.#account;
    if (!call.exchange.hasLeft) {
      const lines =
        answerLines(this.#account, this.#answer, this.#exposesUpstream) +
        costLines(call, this.#answer, this.cost) +
        runUsageLine(call, this.#usage);
      const { contentType = "application/json" } = this.#read;
      call.exchange.response.sendWhole(`content-type: ${contentType}\r\n${lines}`, text);
    }
    this.#resolve(null);
  }

  onJournalFailed(): void {
    this.#reject(usageNotRecorded());
  }
}
