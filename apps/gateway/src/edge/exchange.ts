import { Failure } from "@tollgate/contracts/failures.ts";
import type { ErrorFormat } from "../operations/operation-kind.ts";
import type { Conversation } from "../pipeline/body/conversation.ts";
import type { UploadedFile } from "../pipeline/body/uploaded-file.ts";
import { chooseCallId, isLabel } from "./call-id.ts";
import { clientDisconnected } from "./client-gone.ts";
import type { BodySink, DirectBody } from "./direct-body.ts";
import type { DirectResponse } from "./direct-response.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** How much of a body is taken in before the caller is known. */
const UNPROVEN_BODY_BYTES = 64 * 1024;
/** A body slower than this after its first seconds holds a slot without using it. */
const SLOW_BODY_GRACE_MS = 5_000;
const SLOW_BODY_BYTES_PER_SECOND = 1_024;
/** How long a file may take to arrive. */
const UPLOAD_MS = 120_000;

/** A key and its digest. Lives no longer than the connection it came over. */
export interface HashedKey {
  text: string;
  digest: string;
}

export interface ExchangeWorker {
  clientGone(): void;
  /** This process leaves and waits no longer: the answer ends now, with this failure, as far as it got. */
  cut?(failure: Failure): void;
}

/** Takes a body piece by piece. */
export interface BodyReader {
  /** Throws a Failure for a body it cannot use; the rest of it is thrown away then. Returns false to be given a pause. */
  take(chunk: Buffer): boolean;
}

/** For what nobody wants. */
const thrownAway: BodyReader = { take: () => true };

/** One request on the inference routes and its answer. */
export class Exchange implements BodySink {
  readonly request: DirectBody;
  readonly response: DirectResponse;
  readonly headers: RequestHeaders;
  /** The key of the request before this one on the same connection. */
  readonly lastKey: HashedKey;
  /** The model named in the path, when the path names one. */
  readonly pathModel: string | null;
  readonly startedAtMs: number;
  /** Made here, never by the client: what the call is known by in the books. */
  readonly eventId: string;
  /** The time inside the event id, which is the time of the call in the books. Unix milliseconds. */
  get admittedAtMs(): number {
    return Number.parseInt(this.eventId.slice(0, 8) + this.eventId.slice(9, 13), 16);
  }
  /** Which request of its connection it is; the first is 1. */
  requestNumber = 0;
  /** What the answer prints: the client's own label when it sent a good one. */
  callId: string;
  /** Whoever works on the answer: told once when the client goes away before it is complete. */
  worker: ExchangeWorker | null = null;
  isGone = false;
  /** Nothing can be sent to its client: the connection is closed, or the client has got its failure already. */
  hasLeft = false;
  /** The call is made to its end even for a client that leaves; then only `hasLeft` tells. */
  outlivesClient = false;
  /** The call is read to its end without a client, for its usage alone. */
  isUnattended = false;
  /** The failure its client was sent before the call had ended; null for nearly every call. */
  earlyFailure: Failure | null = null;
  /** Sends a failure while the call is still running. */
  onEarlyFailure: ((exchange: Exchange, failure: Failure) => void) | null = null;
  /** How long it waited for its turn. */
  queuedMs = 0;
  /** What came with the request besides its fields; kept until the call has ended. */
  file: UploadedFile | null = null;
  /** What the books call it when another process of this installation sent it; null for everyone else. */
  endpoint: string | null = null;
  /** How its interface words a failure; OpenAI's way where it is null. */
  words: ErrorFormat | null = null;
  /** What the call continues and how it may be continued; null where that cannot be. */
  conversation: Conversation | null = null;
  /** Told once when the body has arrived, wanted or not. */
  onWholeBody: (() => void) | null = null;

  #first: Buffer | null = null;
  #parts: Buffer[] | null = null;
  #received = 0;
  #limit = UNPROVEN_BODY_BYTES;
  #isWanted = false;
  #isComplete = false;
  /** Why the body will never be whole. */
  #failure: Failure | null = null;
  /** Whoever takes the body as it comes, instead of all of it at its end. */
  #reader: BodyReader | null = null;
  #resolve: ((body: Buffer) => void) | null = null;
  #reject: ((failure: Failure) => void) | null = null;

  constructor(
    request: DirectBody,
    response: DirectResponse,
    headers: RequestHeaders,
    pathModel: string | null,
    startedAtMs: number,
    eventId: string,
    lastKey: HashedKey,
  ) {
    this.request = request;
    this.response = response;
    this.headers = headers;
    this.pathModel = pathModel;
    this.startedAtMs = startedAtMs;
    this.eventId = eventId;
    this.lastKey = lastKey;
    this.callId = chooseCallId(headers, eventId);
  }

  /** Takes the body's own label for the call, which wins over the header's. One that is no good has no effect. */
  label(callId: string | null): void {
    if (callId !== null && isLabel(callId)) this.callId = callId;
  }

  /** The whole body, once the caller is known. Refuses bodies over the limit and bodies that trickle. */
  readBody(limitBytes: number): Promise<Buffer> {
    this.#want(limitBytes);
    if (this.#isComplete) return Promise.resolve(this.#joined());
    return this.#rest();
  }

  /** The body as it comes, once the caller is known; resolves at its end. Refuses what `readBody` refuses. */
  async streamBody(limitBytes: number, reader: BodyReader): Promise<void> {
    this.#want(limitBytes);
    const early = this.#joined();
    this.#reader = thrownAway;
    const goesOn = early.length === 0 || reader.take(early);
    if (this.#isComplete) return;
    this.#reader = reader;
    await this.#rest(goesOn);
  }

  #want(limitBytes: number): void {
    if (this.#failure !== null) throw this.#failure;
    const declared = this.headers.contentLength;
    if (declared !== null && Number(declared) > limitBytes) throw tooLarge(limitBytes);
    if (this.#received > limitBytes) throw tooLarge(limitBytes);
    this.#limit = limitBytes;
    this.#isWanted = true;
  }

  #rest(goesOn = true): Promise<Buffer> {
    if (this.headers.expect !== null) this.response.writeContinue();
    if (goesOn && this.#received >= UNPROVEN_BODY_BYTES) this.request.resumeBody();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  takeChunk(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#reader !== null) return this.#handOver(this.#reader, chunk);
    if (this.#first === null) this.#first = chunk;
    else if (this.#parts === null) this.#parts = [this.#first, chunk];
    else this.#parts.push(chunk);
    if (!this.#isWanted) return this.#received < UNPROVEN_BODY_BYTES;
    if (this.#received <= this.#limit) return true;
    this.breakBody(tooLarge(this.#limit));
    return false;
  }

  #handOver(reader: BodyReader, chunk: Buffer): boolean {
    if (this.#received > this.#limit) {
      this.breakBody(tooLarge(this.#limit));
      return false;
    }
    try {
      return reader.take(chunk);
    } catch (error) {
      this.#reader = thrownAway;
      this.#reject?.(error as Failure);
      this.#reject = null;
      this.#resolve = null;
      return true;
    }
  }

  takeEnd(): void {
    this.#isComplete = true;
    this.onWholeBody?.();
    if (this.#resolve === null) return;
    this.#resolve(this.#joined());
    this.#resolve = null;
    this.#reject = null;
  }

  /** Whether the whole body has been received, so that the connection can carry another request. */
  get hasWholeBody(): boolean {
    return this.#isComplete || this.request.complete;
  }

  /** Whether the rest of the body cannot be told from what follows it, so that the connection must close. */
  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** Whether it is a file that arrives, which may take longer than other bodies. */
  get isUploading(): boolean {
    return this.#reader !== null && this.#reject !== null;
  }

  /** Gives the body up: whoever waits for it, now or later, gets this failure. */
  breakBody(failure: Failure): void {
    this.#failure ??= failure;
    this.#reject?.(this.#failure);
    this.#reject = null;
    this.#resolve = null;
  }

  /** The connection closed. Ends a body that will never come and tells whoever works on the answer. */
  clientGone(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    if (this.outlivesClient) return;
    this.isGone = true;
    this.breakBody(clientDisconnected());
    this.worker?.clientGone();
  }

  /** Sends a failure now, although the call goes on: its deadline has passed, but what it costs is not known yet. */
  failEarly(failure: Failure): void {
    if (this.hasLeft) return;
    this.earlyFailure = failure;
    // A stream that has begun was ended by its relay, with the failure as its last frame.
    if (!this.response.headersSent) this.onEarlyFailure?.(this, failure);
    this.hasLeft = true;
    this.isGone = true;
  }

  /** This process leaves before the answer is complete. Whoever works on it says so to the client, and ends it. */
  cut(failure: Failure): void {
    this.breakBody(failure);
    this.worker?.cut?.(failure);
  }

  /** The call has ended, however it did. */
  end(): void {
    this.file?.close().catch(() => {});
  }

  /** Called each second: a body that trickles is refused. */
  checkBodyPace(nowMs: number): void {
    if (this.#reject === null || this.#isComplete) return;
    const elapsedMs = nowMs - this.startedAtMs;
    if (elapsedMs > UPLOAD_MS) this.breakBody(new Failure("timeout", "The request was not received in time."));
    if (elapsedMs < SLOW_BODY_GRACE_MS) return;
    if (this.#received / (elapsedMs / 1_000) >= SLOW_BODY_BYTES_PER_SECOND) return;
    this.breakBody(new Failure("timeout", "The request body arrived too slowly."));
  }

  /** The body in one piece, which is let go here: an answer may be streamed for minutes. */
  #joined(): Buffer {
    const joined = this.#parts === null ? this.#first : Buffer.concat(this.#parts, this.#received);
    this.#first = null;
    this.#parts = null;
    return joined ?? Buffer.alloc(0);
  }
}

/** The refusal of a body that is too large. */
export function tooLarge(limitBytes: number): Failure {
  return new Failure("request_too_large", `The body is larger than the limit of ${limitBytes} bytes.`, {
    fix: "Send a smaller body. For most operations, the operator sets the limit with general_settings.max_request_size_mb.",
  });
}
