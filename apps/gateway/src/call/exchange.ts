import type { Socket } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { BodyPieces } from "./body-pieces.ts";
import { clientDisconnected } from "./client-disconnected.ts";
import type { ErrorFormat } from "./operation-traits.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** Maximum number of body bytes accepted before the caller is authenticated. */
const UNPROVEN_BODY_BYTES = 64 * 1024;
/**
 * Memory for a whole body is reserved if its rest is at most this many times as long as what has arrived. So a client
 * can't reserve memory with a header alone.
 */
const AHEAD = 4;
/** Minimum transfer rate of a body after its first seconds. A slower body is rejected, because it occupies a slot. */
const SLOW_BODY_GRACE_MS = 5_000;
const SLOW_BODY_BYTES_PER_SECOND = 1_024;
/** Maximum time for a body that is read in chunks. */
const CHUNKED_BODY_MS = 120_000;

/** A key and its digest, kept in memory only while the connection is open. */
export interface HashedKey {
  text: string;
  digest: string;
}

export interface ExchangeWorker {
  clientGone(): void;
  /** Ends the response with this failure because the drain deadline has passed. */
  cut?(failure: Failure): void;
}

/** Receives a body in chunks. */
export interface BodyReader {
  /**
   * Processes a chunk. Returns false to pause. Throws a Failure for an invalid body. The remaining bytes are then
   * discarded.
   */
  take(chunk: Buffer): boolean;
}

/** Receives the chunks of a request body from the parser. */
export interface BodySink {
  /** Returns false to stop reading from the socket until the body is resumed. */
  takeChunk(chunk: Buffer): boolean;
  takeEnd(): void;
}

/** A request whose body goes to a sink. */
export interface ExchangeRequest {
  readonly socket: Socket;
  /** The request target. */
  readonly url?: string | undefined;
  /** True if the whole body has been received. */
  readonly complete: boolean;
  /** Headers that may contain a key on the listener that received this request. */
  readonly keyHeaders: readonly string[];
  /** Resumes reading after the sink has paused it. */
  resumeBody(): void;
}

/** A response whose head can be given as text. Strings have one character per byte. */
export interface ExchangeResponse {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  destroy(): unknown;
  /** Asks the client to send the body. */
  writeContinue(): void;
  /** Sets the head. `headers` are alternating names and values. `end` sends it with the body, which is UTF-8 text. */
  writeHead(status: number, headers: string[]): unknown;
  end(body: string): unknown;
  /** Makes this response the last one on its connection, and calls the listener when it has been sent. */
  endConnection(onSent: () => void): void;
  /** Called just before the head is written. This is the last chance to close the connection with this response. */
  beforeHead: (() => void) | null;
  /** Sends a complete response in one write. `lines` are header lines, each with its line ending. */
  sendWhole(lines: string, body: string | BodyPieces, statusLine?: string): void;
  /** Sets the head of a response of unknown length. The head is sent with the first bytes of the body. */
  beginStream(lines: string): void;
  /** Writes bytes of a stream. Returns false if the client reads too slowly. */
  writeText(text: string): boolean;
  /** Calls the listener once the client has read the data for which `writeText` returned false. */
  onceDrained(listener: () => void): void;
  /** Writes the last bytes of a stream. */
  endText(text: string): void;
}

/** A resource that is closed when the exchange has ended. */
interface Closable {
  close(): Promise<void>;
}

/** Discards a body. */
const thrownAway: BodyReader = { take: () => true };

/** One request on the inference routes and its response. */
export class Exchange implements BodySink {
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse;
  readonly headers: RequestHeaders;
  /** The key of the previous request on the same connection. */
  readonly lastKey: HashedKey;
  /** The model in the path, if any. */
  readonly pathModel: string | null;
  readonly startedAtMs: number;
  /** ID of the call's usage event. The gateway creates the ID, and clients can't set it. */
  readonly eventId: string;
  /** The timestamp in the event ID, which is the call's time in the ledger, in Unix milliseconds. */
  get admittedAtMs(): number {
    return Number.parseInt(this.eventId.slice(0, 8) + this.eventId.slice(9, 13), 16);
  }
  /** Number of the request on its connection, starting at 1. */
  requestNumber = 0;
  /** The call ID in the response. It is the ID that the client sent if that ID is valid. */
  callId: string;
  /** The worker that produces the response. Notified once if the client disconnects before the response is complete. */
  worker: ExchangeWorker | null = null;
  isGone = false;
  /**
   * True if the client can't receive any more bytes, because the connection is closed or the client has already
   * received a failure.
   */
  hasLeft = false;
  /** True if the call runs to completion after the client disconnects. A disconnect then sets only `hasLeft`. */
  outlivesClient = false;
  /** True if the call continues without a client only to determine its usage. */
  isUnattended = false;
  /** The failure that was sent before the call ended; null if no failure was sent early. */
  earlyFailure: Failure | null = null;
  /** Sends a failure while the call is still running. */
  onEarlyFailure: ((exchange: Exchange, failure: Failure) => void) | null = null;
  /** Time spent in the admission queue. */
  queuedMs = 0;
  /** The endpoint to record for a request from another process of this Tollgate instance; null for other requests. */
  endpoint: string | null = null;
  /** Cost of the other calls that the gateway made for this one, such as moderations, in nano-USD. */
  besideCost = 0n;
  /** What a failed call of a run was charged, for the header of its error response; null if that is not known yet. */
  runUsage: string | null = null;
  /** The model in a body that could not be used; null if the call was read, or if the body names no model. */
  requestedModel: string | null = null;
  /** The session in a body that could not be used; null if the call was read, or if the body names no session. */
  requestedSession: string | null = null;
  /** Error format of the API that the client uses; null for OpenAI's format. */
  words: ErrorFormat | null = null;
  /** Called once, when the whole body has arrived, even if it is unused. */
  onWholeBody: (() => void) | null = null;

  /** Memory for the whole body, which has been received up to `#received`. */
  #whole: Buffer | null = null;
  #first: Buffer | null = null;
  #parts: Buffer[] | null = null;
  #received = 0;
  #limit = UNPROVEN_BODY_BYTES;
  #isWanted = false;
  #isComplete = false;
  /** The reason why the body can't be fully received. */
  #failure: Failure | null = null;
  /** Receives the body in chunks instead of as a whole. */
  #reader: BodyReader | null = null;
  #resolve: ((body: Buffer) => void) | null = null;
  #reject: ((failure: Failure) => void) | null = null;
  /** Closed at the end; null for nearly every exchange. */
  #resource: Closable | null = null;

  constructor(
    request: ExchangeRequest,
    response: ExchangeResponse,
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

  /** Sets the call ID from the body, which takes precedence over the header. An invalid ID is ignored. */
  label(callId: string | null): void {
    if (callId !== null && isLabel(callId)) this.callId = callId;
  }

  /**
   * Returns the whole body, once the caller is authenticated. Rejects bodies that are too large or arrive too slowly.
   * Most bodies arrive with their head, and are returned immediately.
   */
  readBody(limitBytes: number): Buffer | Promise<Buffer> {
    this.#want(limitBytes);
    return this.#isComplete ? this.#joined() : this.#rest();
  }

  /**
   * Passes the body to the reader in chunks and resolves at the end of the body. Rejects the same bodies as `readBody`.
   */
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

  /**
   * Takes bytes that are valid only during this call, of a body with this many more bytes. A body that arrives in a few
   * reads is copied once, into memory for the whole body. Of a longer one, only the first fifth is copied again.
   */
  takeView(view: Buffer, bytesLeft: number): boolean {
    if (this.#whole === null && this.#reader === null && bytesLeft > 0) this.#reserveWhole(view.length, bytesLeft);
    if (this.#whole === null) return this.takeChunk(copyOf(view));
    view.copy(this.#whole, this.#received);
    this.#received += view.length;
    return this.#goesOn();
  }

  /** Reserves memory for the whole body once enough of it has arrived. Before authentication, only the first read counts. */
  #reserveWhole(arriving: number, bytesLeft: number): void {
    if (!this.#isWanted && this.#received > 0) return;
    const arrived = this.#received + arriving;
    if (bytesLeft > arrived * AHEAD) return;
    this.#whole = Buffer.allocUnsafe(arrived + bytesLeft);
    let length = 0;
    for (const part of this.#parts ?? (this.#first === null ? [] : [this.#first])) {
      length += part.copy(this.#whole, length);
    }
    this.#first = null;
    this.#parts = null;
  }

  takeChunk(chunk: Buffer): boolean {
    this.#received += chunk.length;
    if (this.#reader !== null) return this.#handOver(this.#reader, chunk);
    if (this.#first === null) this.#first = chunk;
    else if (this.#parts === null) this.#parts = [this.#first, chunk];
    else this.#parts.push(chunk);
    return this.#goesOn();
  }

  #goesOn(): boolean {
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

  /** True if the whole body has been received, so the connection can be reused. */
  get hasWholeBody(): boolean {
    return this.#isComplete || this.request.complete;
  }

  /** True if the end of the body can't be determined, so the connection must close. */
  get isBroken(): boolean {
    return this.#failure !== null;
  }

  /** True while the body is read in chunks, which may take longer than reading it as a whole. */
  get isReadInChunks(): boolean {
    return this.#reader !== null && this.#reject !== null;
  }

  /** Fails the body. Current and later readers get this failure. */
  breakBody(failure: Failure): void {
    this.#failure ??= failure;
    this.#reject?.(this.#failure);
    this.#reject = null;
    this.#resolve = null;
  }

  /** Handles a closed connection. Fails an incomplete body and notifies the worker. */
  clientGone(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    if (this.outlivesClient) return;
    this.isGone = true;
    this.breakBody(clientDisconnected());
    this.worker?.clientGone();
  }

  /** Sends a failure because the deadline has passed. The call continues, because its cost is not known yet. */
  failEarly(failure: Failure): void {
    if (this.hasLeft) return;
    this.earlyFailure = failure;
    // If the stream has begun, the relay has already sent the failure as the last frame.
    if (!this.response.headersSent) this.onEarlyFailure?.(this, failure);
    this.hasLeft = true;
    this.isGone = true;
  }

  /**
   * Ends the exchange because this process is shutting down. The worker sends the failure and then ends the response.
   */
  cut(failure: Failure): void {
    this.breakBody(failure);
    this.worker?.cut?.(failure);
  }

  /** Closes the resource when the exchange ends. An exchange has at most one. */
  closeAtEnd(resource: Closable): void {
    this.#resource = resource;
  }

  /** Closes the resource after the response has ended. */
  end(): void {
    this.#resource?.close().catch(() => {});
  }

  /** Rejects a body that arrives too slowly. Called every second. */
  checkBodyPace(nowMs: number): void {
    if (this.#reject === null || this.#isComplete) return;
    const elapsedMs = nowMs - this.startedAtMs;
    if (elapsedMs > CHUNKED_BODY_MS) this.breakBody(new Failure("timeout", "The request was not received in time."));
    if (elapsedMs < SLOW_BODY_GRACE_MS) return;
    if (this.#received / (elapsedMs / 1_000) >= SLOW_BODY_BYTES_PER_SECOND) return;
    this.breakBody(new Failure("timeout", "The request body arrived too slowly."));
  }

  /** Returns the whole body and drops the reference to it, because the exchange may stream a response for minutes. */
  #joined(): Buffer {
    const whole = this.#whole?.subarray(0, this.#received);
    const joined = whole ?? (this.#parts === null ? this.#first : Buffer.concat(this.#parts, this.#received));
    this.#whole = null;
    this.#first = null;
    this.#parts = null;
    return joined ?? Buffer.alloc(0);
  }
}

function copyOf(view: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(view.length);
  view.copy(copy);
  return copy;
}

/** Creates the failure for a body that is too large. */
export function tooLarge(limitBytes: number): Failure {
  return new Failure("request_too_large", `The body is larger than the limit of ${limitBytes} bytes.`, {
    fix: "Send a smaller body. For most operations, the operator sets the limit with general_settings.max_request_size_mb.",
  });
}

const LABEL = /^[A-Za-z0-9._-]{1,128}$/;

/** Reports whether a client's call ID is valid. */
function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** Returns the call ID of a request: the client's call ID if it is valid, otherwise the event ID. */
export function chooseCallId(headers: RequestHeaders, eventId: string): string {
  return headers.callId !== null && isLabel(headers.callId) ? headers.callId : eventId;
}
