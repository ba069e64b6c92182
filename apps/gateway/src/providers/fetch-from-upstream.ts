import { Failure } from "@tollgate/contracts/failures.ts";
import type { AnswerControl, AnswerListener, Transport, UpstreamHeaders, UpstreamRequest } from "../call/provider.ts";

/**
 * Maximum response size for upstream requests that aren't part of a call, such as token counts and probes. Images and
 * audio may be large.
 */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface WholeAnswer {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  /** The body as bytes, one character each. */
  readonly text: string;
  /** Time until the response began, and until it was complete. */
  readonly beganAfterMs: number;
  readonly endedAfterMs: number;
}

/**
 * Sends a request that isn't part of a call, and waits for the complete response. Throws a Failure if no complete
 * response arrives.
 */
export function fetchFromUpstream(
  transport: Transport,
  request: UpstreamRequest,
  timeoutMs: number,
  mostBytes = MAX_ANSWER_BYTES,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => new Question(resolve, reject, mostBytes).ask(transport, request, timeoutMs));
}

class Question implements AnswerListener {
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (failure: Failure) => void;
  readonly #mostBytes: number;
  #text = "";
  #control: AnswerControl | null = null;
  #timer: NodeJS.Timeout | null = null;
  #length = 0;
  #askedAtMs = 0;
  #beganAtMs = 0;
  #status = 0;
  #headers: UpstreamHeaders = {};

  constructor(resolve: (answer: WholeAnswer) => void, reject: (failure: Failure) => void, mostBytes: number) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#mostBytes = mostBytes;
  }

  ask(transport: Transport, request: UpstreamRequest, timeoutMs: number): void {
    const seconds = timeoutMs / 1_000;
    this.#askedAtMs = performance.now();
    this.#timer = setTimeout(
      () => this.#giveUp(new Failure("timeout", `The model did not finish its response within ${seconds} seconds.`)),
      timeoutMs,
    );
    try {
      this.#control = transport.send(request, this);
    } catch (error) {
      this.onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    this.#control = control;
    this.#beganAtMs = performance.now();
    this.#status = status;
    this.#headers = headers;
  }

  onData(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length <= this.#mostBytes) this.#text += chunk.toString("latin1");
    else this.#giveUp(new Failure("bad_gateway", "The model's response exceeds the size limit."));
  }

  onEnd(): void {
    this.#stopClock();
    const text = this.#text;
    const beganAfterMs = this.#beganAtMs - this.#askedAtMs;
    const endedAfterMs = performance.now() - this.#askedAtMs;
    this.#resolve({ status: this.#status, headers: this.#headers, text, beganAfterMs, endedAfterMs });
  }

  onError(cause: Error): void {
    this.#stopClock();
    if (cause instanceof Failure) return this.#reject(cause);
    this.#reject(new Failure("upstream_unreachable", "The model could not be reached.", { cause }));
  }

  #giveUp(failure: Failure): void {
    this.#stopClock();
    this.#reject(failure);
    this.#control?.abort();
  }

  #stopClock(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
