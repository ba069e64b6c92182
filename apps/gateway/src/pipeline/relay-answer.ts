import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { countAnswer } from "../tokens/count-answer.ts";
import type { JournalWaiter } from "./accounting.ts";
import { answerLines, costLines } from "./answer-lines.ts";
import type { CallAccount } from "./call-account.ts";
import type { UpstreamAnswer } from "./call-upstream.ts";
import { countUsage } from "./record-usage.ts";

/**
 * Sends a complete answer once its usage is on disk: one header block, one write, the upstream's bytes with the model
 * renamed.
 */
export function relayAnswer(account: CallAccount, answer: UpstreamAnswer, exposesUpstream: boolean): Promise<void> {
  const { call } = account;
  const { text, usage } = answer.deployment.provider.readAnswer(call, answer.body as string);
  return new Promise((resolve, reject) => {
    const relay = new AnswerRelay(account, answer, text, exposesUpstream, resolve, reject);
    relay.cost = account.close(
      {
        status: call.exchange.isGone ? "client_disconnect" : "success",
        failure: null,
        usage: usage ?? countUsage(call, answer.deployment, countAnswer(text)),
        firstTokenMs: answer.answeredAtMs - call.exchange.startedAtMs,
      },
      relay,
    );
    if (account.keepsContent) account.keepContent(text);
  });
}

/** What a call is answered whose usage could not be written down. */
export function notRecorded(): Failure {
  return new Failure("accounting_unavailable", "The usage of this call could not be recorded, so it is not answered.");
}

class AnswerRelay implements JournalWaiter {
  readonly #account: CallAccount;
  readonly #answer: UpstreamAnswer;
  readonly #text: string;
  readonly #exposesUpstream: boolean;
  readonly #resolve: () => void;
  readonly #reject: (failure: Failure) => void;
  cost: NanoUsd = 0n;

  constructor(
    account: CallAccount,
    answer: UpstreamAnswer,
    text: string,
    exposesUpstream: boolean,
    resolve: () => void,
    reject: (failure: Failure) => void,
  ) {
    this.#account = account;
    this.#answer = answer;
    this.#text = text;
    this.#exposesUpstream = exposesUpstream;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onJournaled(): void {
    const { call } = this.#account;
    if (!call.exchange.isGone) {
      const lines =
        answerLines(this.#account, this.#answer, this.#exposesUpstream) + costLines(call, this.#answer, this.cost);
      call.exchange.response.sendWhole(`content-type: application/json\r\n${lines}`, this.#text);
    }
    this.#resolve();
  }

  onJournalFailed(): void {
    this.#reject(notRecorded());
  }
}
