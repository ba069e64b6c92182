import type { Failure } from "@tollgate/contracts/failures.ts";
import type { CallAccount, ExtensionListener } from "../accounting/call-account.ts";
import type { ReadLimit } from "../accounting/record-usage.ts";
import { OutputOverrunGuard } from "../accounting/stream-output.ts";
import { AbandonedRead, malformedResponse } from "../accounting/upstream-failures.ts";
import { abandonedUsage, isPossible } from "../accounting/usage-of.ts";
import type { ExchangeWorker } from "../call/exchange.ts";
import type { StreamReader } from "../call/provider.ts";
import type { StreamListener, UpstreamAnswer, UpstreamStream } from "../call/upstream-answer.ts";
import { GuardedFrames, type GuardedRelay, type ReadState } from "../guardrails/guarded-frames.ts";
import { finishesOnDisconnect, HasDeadline } from "../limits/live-calls.ts";
import { usageSoFar } from "../operations/count-input.ts";
import { offeredBy } from "../providers/fit-parameters.ts";
import { withoutSecrets } from "../providers/read-upstream-failure.ts";
import { MAX_ANSWER_BYTES } from "./call-upstream.ts";
import { cutFrames, type RelaySettings, StreamEnd } from "./end-stream.ts";

const KEEP_ALIVE_MS = 15_000;
const STALLED_CLIENT_MS = 30_000;
/** Interval between checkpoints. If the process crashes, the output since the last checkpoint is not billed. */
const CHECKPOINT_MS = 1_000;
const KEEP_ALIVE = ": keep-alive\n\n";

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

class StreamRelay extends HasDeadline implements StreamListener, ExchangeWorker, ExtensionListener, GuardedRelay {
  readonly #account: CallAccount;
  readonly #answer: UpstreamAnswer;
  readonly #stream: UpstreamStream;
  readonly #reader: StreamReader;
  readonly #settings: RelaySettings;
  readonly #end: StreamEnd;
  #lastWriteMs = 0;
  #stalledSinceMs = 0;
  /** True if the client has ever read more slowly than the model responded. */
  #wasStalled = false;
  #checkpointAtMs = 0;
  #waitsForCredit = false;
  /** Checks frames before they are sent; null if no guardrail applies. */
  #guarded: GuardedFrames | null = null;
  #waitsForGuard = false;
  readonly #limit: OutputOverrunGuard | null;

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
    this.#limit = OutputOverrunGuard.of(account);
    this.#end = new StreamEnd(account, answer, settings, this.#reader, this, resolve, reject);
  }

  start(): void {
    const { exchange } = this.#account.call;
    exchange.worker = this;
    const { guards } = this.#account.call;
    const guard = guards === null || exchange.isGone ? null : guards.watchStream(this.#account.call);
    if (guard !== null) this.#guardBy(new GuardedFrames(guard, this));
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
      this.#end.dismiss(failure);
      this.#abandon("timeout");
    } else if (this.#account.call.exchange.isUnattended) this.#end.closeUnattended(null);
    else this.#end.breakOff(failure, "");
  }

  /** Disconnects stalled clients, sends keep-alives, and writes checkpoints. Runs ten times per second. */
  override check(nowMs: number): void {
    if (this.#end.hasTail) return;
    if (nowMs >= this.#checkpointAtMs) this.#checkpoint(nowMs);
    if (this.#account.call.exchange.isGone) return;
    if (this.#stalledSinceMs !== 0) {
      if (nowMs - this.#stalledSinceMs > STALLED_CLIENT_MS) this.#account.call.exchange.response.destroy();
      return;
    }
    if (this.#end.isEvents && this.#lastWriteMs !== 0 && nowMs - this.#lastWriteMs > KEEP_ALIVE_MS) {
      this.#write(this.#account.call.kind.words?.keepAlive ?? KEEP_ALIVE);
    }
  }

  clientGone(): void {
    // The account is already closed, and only the last bytes may be unsent.
    if (this.isOver) return this.#end.dropTail();
    if (finishesOnDisconnect(this.#answer.deployment, this.#account.call)) this.#readOn();
    else this.#abandon(null);
  }

  cut(failure: Failure): void {
    if (this.isOver) return;
    if (this.#account.call.exchange.isUnattended) return this.#abandon("drain");
    this.#stream.abort();
    this.#end.breakOff(failure, "");
  }

  /**
   * Ends the response at the caller's own deadline. The caller pays for output that the upstream produces after this
   * deadline.
   */
  onCallerDeadline(failure: Failure): void {
    // The usage is known, and only the connection is still open.
    if (this.isOver) return this.#stream.abort();
    this.#end.dismiss(failure);
    this.clientGone();
  }

  /** Reads the rest of the stream without a client, to determine its usage. */
  #readOn(): void {
    if (!this.#settings.unattended.add(this.#account.call.exchange)) return this.#abandon("capacity");
    this.#guardBy(null);
    this.#end.dropFrames();
    this.#waitsForGuard = false;
    this.#stalledSinceMs = 0;
    // The response may already have been complete, but not fully sent, when the client disconnected.
    this.#readUnattended();
    if (!this.isOver) this.#resume();
  }

  /** Checks whether the response that is read without a client is complete and within its limits. */
  #readUnattended(): void {
    const { failure, isDone, output } = this.#reader;
    if (failure !== null || isDone) return this.#end.closeUnattended(null);
    if (output.sentBytes > MAX_ANSWER_BYTES || this.#limit?.isPassedBy(output) === true) return this.#abandon("size");
    this.#waitForCover();
  }

  /** Stops reading before the usage is known. */
  #abandon(limit: ReadLimit | null): void {
    this.#stream.abort();
    this.#end.closeUnattended(limit, abandonedUsage(this.#account, this.#reader.usage, this.#reader.output, limit));
  }

  onExtended(): void {
    if (!this.#waitsForCredit || !this.#account.covers(this.#reader.output.roughTokens, this)) return;
    this.#waitsForCredit = false;
    this.#resume();
  }

  onExtensionRefused(failure: Failure): void {
    if (this.isOver) return;
    // A model with hidden output may have produced output that the credit doesn't cover.
    if (!this.#account.call.exchange.isUnattended) this.#end.dismiss(failure);
    this.#abandon("credit");
  }

  get isOver(): boolean {
    return this.#end.isOver;
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
      this.#end.dismiss(malformedResponse(error));
      return this.#readOn();
    }
    this.#stream.abort();
    this.#end.block(malformedResponse(error));
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
    this.#end.keepText(text);
    if (failure !== null) {
      this.#stream.abort();
      return this.#end.breakOff(withoutSecrets(this.#account.deployment, failure), text);
    }
    if (isDone) return this.#end.complete(text);
    if (text !== "") {
      this.#end.keepFrames(text);
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
    if (this.#account.call.exchange.isUnattended) return this.#end.closeUnattended(null);
    this.#end.breakOff(malformedResponse(error), "");
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

  #guardBy(guarded: GuardedFrames | null): void {
    this.#guarded = guarded;
    this.#end.isGuarded = guarded !== null;
  }

  /**
   * Sends the headers. No other deployment is tried afterward, so a stream that may last minutes can drop its prompt.
   */
  #begin(): void {
    const { call } = this.#account;
    call.exchange.response.beginStream(this.#end.lines());
    call.dropBody();
  }

  /**
   * Aborts the upstream request of a model that exceeds its output limit. The response then ends as if it had reached
   * its maximum length.
   */
  #cutOff(): void {
    this.#stream.abort();
    // A response that was cut off isn't cached, because a later identical request may allow a longer response.
    this.#end.dropFrames();
    const { call } = this.#account;
    const outcome = this.#end.outcome("success", null);
    const frames =
      this.#reader.cutFrames?.(outcome.usage) ?? cutFrames(call, outcome.usage, this.#settings.wallClock());
    if (this.#guarded === null) return this.#end.close(outcome, frames);
    this.#guarded.cut(frames).then(
      (passed) => this.isOver || this.#end.close(outcome, passed),
      (error) => this.isOver || this.block(error),
    );
  }

  #checkpoint(nowMs: number): void {
    this.#checkpointAtMs = nowMs + CHECKPOINT_MS;
    const { call } = this.#account;
    const output = this.#reader.output.checkpoint();
    const { usage } = this.#reader;
    const isKnown = usage !== null && isPossible(this.#account, usage);
    this.#account.checkpoint(isKnown ? usage : usageSoFar(call, this.#answer.deployment, output));
  }
}
