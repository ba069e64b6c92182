import { type ErrorCodeStyle, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { JournalWaiter } from "../accounting/accounting.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { type CallOutcome, deliveredAs, type ReadLimit } from "../accounting/record-usage.ts";
import { TextCollector } from "../accounting/stream-output.ts";
import { nameDeployment, withProduced } from "../accounting/upstream-failures.ts";
import { abandonedUsage, usageOf } from "../accounting/usage-of.ts";
import { FrameCollector } from "../cache/frame-collector.ts";
import type { Call } from "../call/call.ts";
import type { Exchange } from "../call/exchange.ts";
import type { StreamReader } from "../call/provider.ts";
import type { UpstreamAnswer } from "../call/upstream-answer.ts";
import { withoutTexts } from "../guardrails/guarded-frames.ts";
import type { HasDeadline, LiveCalls, UnattendedCalls } from "../limits/live-calls.ts";
import { OversizedEvent } from "../wire/invalid-response.ts";
import { answerLines, usageNotRecorded, withRunUsage } from "./relay-answer.ts";
import { loseHiddenOutput } from "./retry-or-fall-back.ts";

/** Header lines of every event stream response. */
export const STREAM_LINES =
  "content-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\n";

const DONE = "data: [DONE]\n\n";

/** Dependencies shared by all relays. */
export interface RelaySettings {
  readonly codeStyle: ErrorCodeStyle;
  /** Returns the URL of the documentation, for the links in errors. */
  readonly docsUrl: (exchange: Exchange) => string;
  readonly exposesUpstream: boolean;
  readonly now: () => number;
  /** Unix time in milliseconds, for values shown to clients. */
  readonly wallClock: () => number;
  readonly live: LiveCalls;
  readonly unattended: UnattendedCalls;
}

/**
 * The end of a relayed stream. Closes the account, and sends the last bytes and settles the call's promise once the usage
 * is on disk.
 */
export class StreamEnd implements JournalWaiter {
  readonly isEvents: boolean;
  /** True if guardrails check the frames of the stream. */
  isGuarded = false;
  readonly #account: CallAccount;
  readonly #answer: UpstreamAnswer;
  readonly #settings: RelaySettings;
  readonly #reader: StreamReader;
  /** The relay, whose deadline is watched until the end. */
  readonly #relay: HasDeadline;
  #resolve: ((failure: Failure | null) => void) | null;
  #reject: ((failure: unknown) => void) | null;
  /** The end of the response, held back until its usage is on disk. */
  #tail: string | null = null;
  /** The charged usage, once it is known. */
  #usage: Usage | null = null;
  #cost: NanoUsd = 0n;
  /** The reason why the response ends before it is complete. */
  #failure: Failure | null = null;
  #isBlocked = false;
  /** Collects the response for the content log. */
  readonly #kept: TextCollector | null;
  /** Collects the sent frames for the response cache. */
  #frames: FrameCollector | null;

  constructor(
    account: CallAccount,
    answer: UpstreamAnswer,
    settings: RelaySettings,
    reader: StreamReader,
    relay: HasDeadline,
    resolve: (failure: Failure | null) => void,
    reject: (failure: unknown) => void,
  ) {
    this.isEvents = account.call.answerForm === "events";
    this.#account = account;
    this.#answer = answer;
    this.#settings = settings;
    this.#reader = reader;
    this.#relay = relay;
    this.#kept = account.keepsContent ? new TextCollector(account.call.kind.findTexts) : null;
    this.#frames = account.call.cacheEntry === null ? null : new FrameCollector(account.call.cacheEntry);
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** True if no more of the response is read for the client. */
  get isOver(): boolean {
    return this.#resolve === null || this.#tail !== null;
  }

  /** True once the end of the response is known. */
  get hasTail(): boolean {
    return this.#tail !== null;
  }

  /** Adds relayed text to the content log. */
  keepText(text: string): void {
    this.#kept?.add(text);
  }

  /** Adds relayed frames to the response cache. */
  keepFrames(frames: string): void {
    this.#frames?.add(frames);
  }

  /** Does not cache the response. */
  dropFrames(): void {
    this.#frames = null;
  }

  /** Ends a complete response. */
  complete(tail: string): void {
    this.#tail = tail;
    this.#cost = this.#account.close(this.outcome("success", null), this);
  }

  /** Ends a response with a known outcome. The last bytes are sent once the usage is on disk. */
  close(outcome: CallOutcome, tail: string): void {
    this.#tail = tail;
    this.#cost = this.#account.close(outcome, this);
  }

  /** Ends a response that a guardrail blocked. */
  block(failure: Failure): void {
    this.#isBlocked = true;
    this.#failure = failure;
    this.#tail = "";
    this.#account.close(this.outcome("failure", failure), this);
  }

  /** Ends a stream that failed. The missing closing frame signals that the response is incomplete. */
  breakOff(failure: Failure, text: string): void {
    const { response } = this.#account.call.exchange;
    if (!response.headersSent && text === "") {
      const usage = this.#finalUsage();
      loseHiddenOutput(this.#account, failure, usage);
      return this.#leave()?.(withProduced(failure, usage));
    }
    this.#failure = failure;
    this.#tail = text;
    const outcome = this.outcome("failure", failure);
    loseHiddenOutput(this.#account, failure, outcome.usage);
    this.#account.close(outcome, this);
  }

  /**
   * Sends a failure to the client, even if part of the response has been sent. From now on, the response is read
   * without a client.
   */
  dismiss(failure: Failure): void {
    const { call } = this.#account;
    if (call.exchange.response.headersSent) this.#endWith(failure, "");
    call.exchange.failEarly(nameDeployment(failure, this.#answer.deployment, call));
  }

  /** Closes the account of a call without a client. */
  closeUnattended(endedBy: ReadLimit | null, usage = this.outcome("client_disconnect", null).usage): void {
    const firstTokenMs = this.#answer.answeredAtMs - this.#account.call.exchange.startedAtMs;
    this.#account.close({ ...deliveredAs(this.#account.call.exchange), usage, firstTokenMs, endedBy }, null);
    this.#leave()?.(null);
  }

  /** Drops the last bytes, because the client has disconnected. The account is already closed. */
  dropTail(): void {
    if (this.#resolve !== null) this.#leave()?.(null);
  }

  onJournaled(): void {
    const keeper = this.#account.call.conversation?.keeper ?? null;
    if (keeper === null || this.#failure !== null) return this.#sendTail();
    // The client may continue the response as soon as its end arrives, so store the response before sending its end.
    void keeper.keep(this.#tail ?? "").then(() => this.#sendTail());
  }

  #sendTail(): void {
    if (this.#resolve === null) return;
    const { response } = this.#account.call.exchange;
    if (this.#isBlocked && !response.headersSent) return this.#refuse(this.#failure);
    if (!response.headersSent) response.beginStream(this.lines());
    if (this.#failure === null) {
      this.#frames?.keep(this.#tail ?? "", this.#answer.deployment.id);
      response.endText(withRunUsage(this.#account.call, this.#usage, this.#cost, this.#tail ?? ""));
    } else this.#endWith(this.#failure, this.#tail ?? "");
    this.#leave()?.(null);
  }

  onJournalFailed(): void {
    if (this.#resolve === null) return;
    const { response } = this.#account.call.exchange;
    const reject = this.#reject;
    const failure = usageNotRecorded();
    if (response.headersSent) this.#endWith(failure, "");
    const resolve = this.#leave();
    if (response.headersSent) resolve?.(null);
    else reject?.(failure);
  }

  /** A caller can enlarge an event with what the response repeats, so it must not cost less than what is held for it. */
  #finalUsage(): Usage {
    const { usage, output, failure } = this.#reader;
    if (failure instanceof OversizedEvent) return abandonedUsage(this.#account, usage, output, "size");
    return usageOf(this.#account, usage, null, output);
  }

  /** Returns the outcome of the call, with its charged usage. */
  outcome(status: CallOutcome["status"], failure: Failure | null): CallOutcome {
    const { call } = this.#account;
    const usage = this.#finalUsage();
    this.#usage = usage;
    if (this.#frames !== null) this.#frames.usage = usage;
    return { status, failure, usage, firstTokenMs: this.#answer.answeredAtMs - call.exchange.startedAtMs };
  }

  /**
   * Detaches the relay. Returns the resolve function of the call's promise, or null if the relay was already detached.
   */
  #leave(): ((failure: Failure | null) => void) | null {
    if (this.#kept !== null && this.#account.isClosed) this.#account.keepContent(this.#kept.text);
    const resolve = this.#resolve;
    this.#resolve = null;
    this.#reject = null;
    this.#settings.live.remove(this.#relay);
    return resolve;
  }

  /** Ends an incomplete response. Audio has no error frames, so its connection is closed. */
  #endWith(failure: Failure, text: string): void {
    const { response } = this.#account.call.exchange;
    if (this.isEvents) response.endText(text + this.#errorFrame(failure));
    else response.destroy();
  }

  /** Fails the whole call. No byte was sent, but the call is charged. */
  #refuse(failure: Failure | null): void {
    const reject = this.#reject;
    this.#leave();
    reject?.(failure);
  }

  #errorFrame(failure: Failure): string {
    const { kind, exchange } = this.#account.call;
    const context = { requestId: exchange.callId, docsUrl: this.#settings.docsUrl(exchange) };
    const known = this.#reader.failureFrames?.(failure, context);
    if (known !== undefined && this.isGuarded) return withoutTexts(known);
    const own = known ?? kind.words?.failureFrames(failure, context);
    if (own !== undefined) return own;
    const isInternal = this.#account.call.exchange.endpoint !== null;
    const error = JSON.stringify(toErrorBody(failure, isInternal ? "semantic" : this.#settings.codeStyle, context));
    return `data: ${Buffer.from(error, "utf8").toString("latin1")}\n\n`;
  }

  /** Returns the header lines of the response. */
  lines(): string {
    const { contentType } = this.#reader;
    const form = contentType === undefined ? STREAM_LINES : `content-type: ${contentType}\r\n`;
    return form + answerLines(this.#account, this.#answer, this.#settings.exposesUpstream);
  }
}

/**
 * Returns the final frames of a stream that reached its maximum length: finish reason, usage if requested, and closing
 * frame.
 */
export function cutFrames(call: Call, usage: Usage, nowMs: number): string {
  const isChat = call.operation === "chat.completions";
  const object = isChat ? "chat.completion.chunk" : "text_completion";
  const id = `${isChat ? "chatcmpl" : "cmpl"}-${call.exchange.eventId}`;
  const head = `data: {"id":"${id}","object":"${object}","created":${Math.floor(nowMs / 1_000)},"model":${call.model.shownJson}`;
  const said = isChat ? '"delta":{}' : '"text":""';
  const end = `${head},"choices":[{"index":0,${said},"logprobs":null,"finish_reason":"length"}]}\n\n`;
  if (!call.wantsUsage) return end + DONE;
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const shown = {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
  };
  return `${end}${head},"choices":[],"usage":${JSON.stringify(shown)}}\n\n${DONE}`;
}
