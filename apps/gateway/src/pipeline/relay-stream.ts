import { type ErrorCodeStyle, toErrorBody } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ExchangeWorker } from "../edge/exchange.ts";
import type { UnattendedCalls } from "../edge/unattended-calls.ts";
import type { StreamReader } from "../providers/provider.ts";
import { withoutSecrets } from "../providers/read-upstream-failure.ts";
import { abandonedUsage } from "./account/abandoned-usage.ts";
import type { JournalWaiter } from "./account/accounting.ts";
import type { CallAccount, CallOutcome, ExtensionListener } from "./account/call-account.ts";
import { usageSoFar } from "./account/count-input.ts";
import { deliveredAs } from "./account/failed-outcome.ts";
import { loseHiddenOutput } from "./account/lose-attempt.ts";
import { isPossible, usageOf } from "./account/usage-of.ts";
import { answerLines } from "./answer/answer-lines.ts";
import type { StreamGuard } from "./answer/call-guards.ts";
import { cutFrames } from "./answer/cut-frames.ts";
import { FrameCollector } from "./answer/frame-collector.ts";
import { GuardedFrames, type GuardedRelay, type ReadState, withoutTexts } from "./answer/guarded-frames.ts";
import { OutputOverrunGuard } from "./answer/output-overrun-guard.ts";
import { withRunUsage } from "./answer/run-usage.ts";
import { TextCollector } from "./answer/text-collector.ts";
import { offeredBy } from "./body/fit-parameters.ts";
import { MAX_ANSWER_BYTES, type StreamListener, type UpstreamAnswer, type UpstreamStream } from "./call-upstream.ts";
import { usageNotRecorded } from "./relay-answer.ts";
import { AbandonedRead, type ReadLimit } from "./upstream/abandoned-read.ts";
import { finishesOnDisconnect } from "./upstream/finishes-on-disconnect.ts";
import { HasDeadline, type LiveCalls } from "./upstream/live-calls.ts";
import { malformedResponse } from "./upstream/malformed-response.ts";
import { nameDeployment } from "./upstream/name-deployment.ts";
import { withProduced } from "./upstream/produced-usage.ts";

const KEEP_ALIVE_MS = 15_000;
const STALLED_CLIENT_MS = 30_000;
/** Interval between checkpoints. If the process crashes, the output since the last checkpoint is not billed. */
const CHECKPOINT_MS = 1_000;
const KEEP_ALIVE = ": keep-alive\n\n";
/** Header lines of every event stream response. */
export const STREAM_LINES =
  "content-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\n";

/** Dependencies shared by all relays. */
export interface RelaySettings {
  readonly codeStyle: ErrorCodeStyle;
  readonly exposesUpstream: boolean;
  readonly now: () => number;
  /** Unix time in milliseconds, for values shown to clients. */
  readonly wallClock: () => number;
  readonly live: LiveCalls;
  readonly unattended: UnattendedCalls;
}

/**
 * Relays a stream to the end. Returns null when the stream has ended, or a Failure if it failed before any byte was
 * sent, so that another deployment can be tried.
 */
export function relayStream(
  account: CallAccount,
  answer: UpstreamAnswer,
  settings: RelaySettings,
): Promise<Failure | null> {
  return new Promise((resolve, reject) => {
    const relay = new StreamRelay(account, answer, settings, resolve, reject);
    relay.start();
  });
}

class StreamRelay
  extends HasDeadline
  implements StreamListener, ExchangeWorker, JournalWaiter, ExtensionListener, GuardedRelay
{
  readonly #account: CallAccount;
  readonly #answer: UpstreamAnswer;
  readonly #stream: UpstreamStream;
  readonly #reader: StreamReader;
  readonly #settings: RelaySettings;
  #resolve: ((failure: Failure | null) => void) | null;
  #reject: ((failure: unknown) => void) | null;
  #lastWriteMs = 0;
  #stalledSinceMs = 0;
  /** True if the client has ever read more slowly than the model responded. */
  #wasStalled = false;
  #checkpointAtMs = 0;
  /** The end of the response, held back until its usage is on disk. */
  #tail: string | null = null;
  /** The charged usage, once it is known. */
  #usage: Usage | null = null;
  /** The reason why the response ends before it is complete. */
  #failure: Failure | null = null;
  readonly #isEvents: boolean;
  #waitsForCredit = false;
  /** Checks frames before they are sent; null if no guardrail applies. */
  #guarded: GuardedFrames | null = null;
  #waitsForGuard = false;
  #isBlocked = false;
  readonly #limit: OutputOverrunGuard | null;
  /** Collects the response for the content log. */
  readonly #kept: TextCollector | null;
  /** Collects the sent frames for the response cache. */
  #frames: FrameCollector | null;

  constructor(
    account: CallAccount,
    answer: UpstreamAnswer,
    settings: RelaySettings,
    resolve: (failure: Failure | null) => void,
    reject: (failure: unknown) => void,
  ) {
    super();
    this.#account = account;
    this.#answer = answer;
    this.#stream = answer.stream as UpstreamStream;
    this.#reader = offeredBy(account.call, answer.deployment).translation.readStream(account.call);
    this.#settings = settings;
    this.#isEvents = account.call.answerForm === "events";
    this.#limit = OutputOverrunGuard.of(account);
    this.#kept = account.keepsContent ? new TextCollector(account.call.kind.findTexts) : null;
    this.#frames = account.call.cacheEntry === null ? null : new FrameCollector(account.call.cacheEntry);
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { exchange } = this.#account.call;
    exchange.worker = this;
    const { guards } = this.#account.call;
    if (guards !== null && !exchange.isGone) this.#guarded = this.#guardBy(guards.watchStream(this.#account.call));
    this.#checkpointAtMs = this.#answer.answeredAtMs + CHECKPOINT_MS;
    this.#settings.live.add(this);
    this.#stream.listen(this);
  }

  onText(text: string): void {
    if (this.isOver) return;
    let read: string;
    try {
      read = this.#reader.push(text);
    } catch (error) {
      return this.#giveUp(error);
    }
    this.#handOn(read);
  }

  onEnd(): void {
    if (this.isOver) return;
    let read: string;
    try {
      read = this.#reader.end();
    } catch (error) {
      return this.#giveUp(error);
    }
    this.#handOn(read);
  }

  onFailure(failure: Failure): void {
    if (this.isOver) return;
    if (failure instanceof AbandonedRead) this.#abandon(failure.limit);
    else if (this.#wasStalled && failure.code === "timeout" && !this.#account.call.exchange.isUnattended) {
      // The client read too slowly for the response to finish in time, so the client pays for the whole response.
      this.#dismiss(failure);
      this.#abandon("timeout");
    } else if (this.#account.call.exchange.isUnattended) this.#closeUnattended(null);
    else this.#breakOff(failure, "");
  }

  /** Disconnects stalled clients, sends keep-alives, and writes checkpoints. Runs ten times per second. */
  override check(nowMs: number): void {
    if (this.#tail !== null) return;
    if (nowMs >= this.#checkpointAtMs) this.#checkpoint(nowMs);
    if (this.#account.call.exchange.isGone) return;
    if (this.#stalledSinceMs !== 0) {
      if (nowMs - this.#stalledSinceMs > STALLED_CLIENT_MS) this.#account.call.exchange.response.destroy();
      return;
    }
    if (this.#isEvents && this.#lastWriteMs !== 0 && nowMs - this.#lastWriteMs > KEEP_ALIVE_MS) {
      this.#write(this.#account.call.kind.words?.keepAlive ?? KEEP_ALIVE);
    }
  }

  clientGone(): void {
    if (this.#resolve === null) return;
    // The account is already closed. Only the last bytes are unsent, and the client has disconnected.
    if (this.#tail !== null) return this.#leave()?.(null);
    if (finishesOnDisconnect(this.#answer.deployment, this.#account.call)) this.#readOn();
    else this.#abandon(null);
  }

  cut(failure: Failure): void {
    if (this.isOver) return;
    if (this.#account.call.exchange.isUnattended) return this.#abandon("drain");
    this.#stream.abort();
    this.#breakOff(failure, "");
  }

  /**
   * Ends the response at the caller's own deadline. The caller pays for output that the upstream produces after this
   * deadline.
   */
  onCallerDeadline(failure: Failure): void {
    // The usage is known, and only the connection is still open.
    if (this.isOver) return this.#stream.abort();
    this.#dismiss(failure);
    this.clientGone();
  }

  /**
   * Sends a failure to the client, even if part of the response has been sent. From now on, the response is read
   * without a client.
   */
  #dismiss(failure: Failure): void {
    const { call } = this.#account;
    if (call.exchange.response.headersSent) this.#endWith(failure, "");
    call.exchange.failEarly(nameDeployment(failure, this.#answer.deployment, call));
  }

  /** Reads the rest of the stream without a client, to determine its usage. */
  #readOn(): void {
    if (!this.#settings.unattended.add(this.#account.call.exchange)) return this.#abandon("capacity");
    this.#guarded = null;
    this.#frames = null;
    this.#waitsForGuard = false;
    this.#stalledSinceMs = 0;
    // The response may already have been complete, but not fully sent, when the client disconnected.
    this.#readUnattended();
    if (!this.isOver) this.#resume();
  }

  /** Checks whether the response that is read without a client is complete and within its limits. */
  #readUnattended(): void {
    const { failure, isDone, output } = this.#reader;
    if (failure !== null || isDone) return this.#closeUnattended(null);
    if (output.sentBytes > MAX_ANSWER_BYTES || this.#limit?.isPassedBy(output) === true) return this.#abandon("size");
    this.#waitForCover();
  }

  /** Stops reading before the usage is known. */
  #abandon(limit: ReadLimit | null): void {
    this.#stream.abort();
    this.#closeUnattended(limit, abandonedUsage(this.#account, this.#reader.usage, this.#reader.output, limit));
  }

  #closeUnattended(endedBy: ReadLimit | null, usage = this.#outcome("client_disconnect", null).usage): void {
    const firstTokenMs = this.#answer.answeredAtMs - this.#account.call.exchange.startedAtMs;
    this.#account.close({ ...deliveredAs(this.#account.call.exchange), usage, firstTokenMs, endedBy }, null);
    this.#leave()?.(null);
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
    if (!response.headersSent) response.beginStream(this.#lines());
    if (this.#failure === null) {
      this.#frames?.keep(this.#tail ?? "", this.#answer.deployment.id);
      response.endText(withRunUsage(this.#account.call, this.#usage, this.#tail ?? ""));
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

  onExtended(): void {
    if (!this.#waitsForCredit || !this.#account.covers(this.#reader.output.roughTokens, this)) return;
    this.#waitsForCredit = false;
    this.#resume();
  }

  onExtensionRefused(failure: Failure): void {
    if (this.isOver) return;
    // A model with hidden output may have produced output that the credit doesn't cover.
    if (!this.#account.call.exchange.isUnattended) this.#dismiss(failure);
    this.#abandon("credit");
  }

  get isOver(): boolean {
    return this.#resolve === null || this.#tail !== null;
  }

  /** The reader's state after the last read. */
  get state(): ReadState {
    return this.#reader;
  }

  wait(): void {
    if (this.#account.call.exchange.isUnattended) return;
    this.#waitsForGuard = true;
    this.#stream.pause();
  }

  goOn(): void {
    this.#waitsForGuard = false;
    this.#resume();
  }

  /** Stops the response because a guardrail blocked it. The output is charged, and no other deployment is tried. */
  block(error: unknown): void {
    if (this.#account.call.exchange.isUnattended) return;
    if (finishesOnDisconnect(this.#answer.deployment, this.#account.call)) {
      this.#dismiss(malformedResponse(error));
      return this.#readOn();
    }
    this.#stream.abort();
    this.#isBlocked = true;
    this.#failure = malformedResponse(error);
    this.#end("failure", this.#failure, "");
  }

  #handOn(text: string): void {
    const { isGone, isUnattended } = this.#account.call.exchange;
    if (isUnattended) return this.#readUnattended();
    // The attempt has been stopped and will report the reason.
    if (isGone) return;
    if (this.#guarded === null) this.pass(text, this.#reader);
    else this.#guarded.add(text);
  }

  pass(text: string, { failure, isDone }: ReadState): void {
    // A guardrail check may still have been running when the client disconnected.
    if (this.#account.call.exchange.isUnattended) return;
    this.#kept?.add(text);
    if (failure !== null) {
      this.#stream.abort();
      return this.#breakOff(withoutSecrets(this.#account.deployment, failure), text);
    }
    if (isDone) return this.#end("success", null, text);
    if (text !== "") {
      this.#frames?.add(text);
      this.#write(text);
    }
    if (this.#limit?.isPassedBy(this.#reader.output) === true) return this.#cutOff();
    this.#waitForCover();
  }

  /** Pauses a stream that exceeds its hold until the hold has been raised. */
  #waitForCover(): void {
    if (!this.#account.growsInSteps || this.#account.covers(this.#reader.output.roughTokens, this)) return;
    this.#waitsForCredit = true;
    this.#stream.pause();
  }

  /** Handles a reader error, which is caused by malformed upstream data. */
  #giveUp(error: unknown): void {
    this.#stream.abort();
    if (this.#account.call.exchange.isUnattended) return this.#closeUnattended(null);
    this.#breakOff(malformedResponse(error), "");
  }

  #write(text: string): void {
    const { response } = this.#account.call.exchange;
    if (!response.headersSent) this.#begin();
    this.#lastWriteMs = this.#settings.now();
    if (response.writeText(text) || this.#stalledSinceMs !== 0) return;
    // The client reads more slowly than the model responds, so the upstream is paused until the client has caught up.
    this.#stalledSinceMs = this.#lastWriteMs;
    this.#wasStalled = true;
    this.#stream.pause();
    response.onceDrained(() => {
      this.#stalledSinceMs = 0;
      this.#resume();
    });
  }

  /** Resumes reading, unless the stream is still paused for another reason. */
  #resume(): void {
    if (this.#stalledSinceMs === 0 && !this.#waitsForCredit && !this.#waitsForGuard) this.#stream.resume();
  }

  #guardBy(guard: StreamGuard | null): GuardedFrames | null {
    return guard === null ? null : new GuardedFrames(guard, this);
  }

  /**
   * Sends the headers. No other deployment is tried afterward, so a stream that may last minutes can drop its prompt.
   */
  #begin(): void {
    const { call } = this.#account;
    call.exchange.response.beginStream(this.#lines());
    call.dropBody();
  }

  /**
   * Aborts the upstream request of a model that exceeds its output limit. The response then ends as if it had reached
   * its maximum length.
   */
  #cutOff(): void {
    this.#stream.abort();
    // A response that was cut off isn't cached, because a later identical request may allow a longer response.
    this.#frames = null;
    const { call } = this.#account;
    const outcome = this.#outcome("success", null);
    const frames =
      this.#reader.cutFrames?.(outcome.usage) ?? cutFrames(call, outcome.usage, this.#settings.wallClock());
    if (this.#guarded === null) return this.#endCut(outcome, frames);
    this.#guarded.cut(frames).then(
      (passed) => this.isOver || this.#endCut(outcome, passed),
      (error) => this.isOver || this.block(error),
    );
  }

  #endCut(outcome: CallOutcome, tail: string): void {
    this.#tail = tail;
    this.#account.close(outcome, this);
  }

  /** Ends a stream that failed. The missing closing frame signals that the response is incomplete. */
  #breakOff(failure: Failure, text: string): void {
    const { response } = this.#account.call.exchange;
    if (!response.headersSent && text === "") {
      const usage = usageOf(this.#account, this.#reader.usage, null, this.#reader.output);
      loseHiddenOutput(this.#account, failure, usage);
      return this.#leave()?.(withProduced(failure, usage));
    }
    this.#failure = failure;
    this.#tail = text;
    const outcome = this.#outcome("failure", failure);
    loseHiddenOutput(this.#account, failure, outcome.usage);
    this.#account.close(outcome, this);
  }

  /** Ends an incomplete response. Audio has no error frames, so its connection is closed. */
  #endWith(failure: Failure, text: string): void {
    const { response } = this.#account.call.exchange;
    if (this.#isEvents) response.endText(text + this.#errorFrame(failure));
    else response.destroy();
  }

  /** Fails the whole call. No byte was sent, but the call is charged. */
  #refuse(failure: Failure | null): void {
    const reject = this.#reject;
    this.#leave();
    reject?.(failure);
  }

  /** Closes the account. The last bytes are sent once the usage is on disk. */
  #end(status: CallOutcome["status"], failure: Failure | null, tail: string): void {
    this.#tail = tail;
    this.#account.close(this.#outcome(status, failure), this);
  }

  #outcome(status: CallOutcome["status"], failure: Failure | null): CallOutcome {
    const { call } = this.#account;
    const usage = usageOf(this.#account, this.#reader.usage, null, this.#reader.output);
    this.#usage = usage;
    if (this.#frames !== null) this.#frames.usage = usage;
    return { status, failure, usage, firstTokenMs: this.#answer.answeredAtMs - call.exchange.startedAtMs };
  }

  #checkpoint(nowMs: number): void {
    this.#checkpointAtMs = nowMs + CHECKPOINT_MS;
    const { call } = this.#account;
    const output = this.#reader.output.checkpoint();
    const { usage } = this.#reader;
    const isKnown = usage !== null && isPossible(this.#account, usage);
    this.#account.checkpoint(isKnown ? usage : usageSoFar(call, this.#answer.deployment, output));
  }

  /**
   * Detaches this relay. Returns the resolve function of the call's promise, or null if the relay was already detached.
   */
  #leave(): ((failure: Failure | null) => void) | null {
    if (this.#kept !== null && this.#account.isClosed) this.#account.keepContent(this.#kept.text);
    const resolve = this.#resolve;
    this.#resolve = null;
    this.#reject = null;
    this.#settings.live.remove(this);
    return resolve;
  }

  #errorFrame(failure: Failure): string {
    const { kind, exchange } = this.#account.call;
    const known = this.#reader.failureFrames?.(failure);
    if (known !== undefined && this.#guarded !== null) return withoutTexts(known);
    const own = known ?? kind.words?.failureFrames(failure, exchange.callId);
    if (own !== undefined) return own;
    const isInternal = this.#account.call.exchange.endpoint !== null;
    const error = JSON.stringify(toErrorBody(failure, isInternal ? "semantic" : this.#settings.codeStyle));
    return `data: ${Buffer.from(error, "utf8").toString("latin1")}\n\n`;
  }

  #lines(): string {
    const { contentType } = this.#reader;
    const form = contentType === undefined ? STREAM_LINES : `content-type: ${contentType}\r\n`;
    return form + answerLines(this.#account, this.#answer, this.#settings.exposesUpstream);
  }
}
