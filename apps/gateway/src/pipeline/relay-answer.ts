import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { ReadAnswer } from "../providers/provider.ts";
import type { JournalWaiter } from "./accounting.ts";
import { answerLines, costLines } from "./answer-lines.ts";
import type { CallAccount } from "./call-account.ts";
import type { UpstreamAnswer } from "./call-upstream.ts";
import { usageOf } from "./usage-of.ts";

/**
 * Sends a complete answer once its usage is on disk: one header block, one write, the upstream's bytes with the model
 * renamed.
 */
export function relayAnswer(account: CallAccount, answer: UpstreamAnswer, exposesUpstream: boolean): Promise<null> {
  const { call } = account;
  const read = answer.whole as ReadAnswer;
  return new Promise((resolve, reject) => {
    const relay = new AnswerRelay(account, answer, read, exposesUpstream, resolve, reject);
    relay.cost = account.close(
      {
        status: call.exchange.isGone ? "client_disconnect" : "success",
        failure: null,
        usage: usageOf(account, read.usage, read.text, null),
        firstTokenMs: answer.answeredAtMs - call.exchange.startedAtMs,
      },
      relay,
    );
    if (account.keepsContent) account.keepContent(read.text);
  });
}

/** What a call is answered whose usage could not be written down. */
export function notRecorded(): Failure {
  return new Failure("accounting_unavailable", "The usage of this call could not be recorded, so it is not answered.");
}

class AnswerRelay implements JournalWaiter {
  readonly #account: CallAccount;
  readonly #answer: UpstreamAnswer;
  readonly #read: ReadAnswer;
  readonly #exposesUpstream: boolean;
  readonly #resolve: (answered: null) => void;
  readonly #reject: (failure: Failure) => void;
  cost: NanoUsd = 0n;

  constructor(
    account: CallAccount,
    answer: UpstreamAnswer,
    read: ReadAnswer,
    exposesUpstream: boolean,
    resolve: (answered: null) => void,
    reject: (failure: Failure) => void,
  ) {
    this.#account = account;
    this.#answer = answer;
    this.#read = read;
    this.#exposesUpstream = exposesUpstream;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onJournaled(): void {
    const { call } = this.#account;
    if (!call.exchange.isGone) {
      const lines =
        answerLines(this.#account, this.#answer, this.#exposesUpstream) + costLines(call, this.#answer, this.cost);
      const { text, contentType = "application/json" } = this.#read;
      call.exchange.response.sendWhole(`content-type: ${contentType}\r\n${lines}`, text);
    }
    this.#resolve(null);
  }

  onJournalFailed(): void {
    this.#reject(notRecorded());
  }
}
