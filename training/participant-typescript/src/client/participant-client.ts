import type { IncomingMessage } from "node:http";
import type { JsonObject, Operation } from "../handlers.ts";
import { type Blobs, FRAMES_TYPE, JSON_TYPE } from "../wire/wire-body.ts";
import { HttpConnection, type TlsOptions } from "./http-connection.ts";
import { JobWatch } from "./job-watch.ts";
import {
  type Abilities,
  type AggregateRequest,
  type CallOptions,
  describeCall,
  encodeRequest,
  type ModelRequest,
} from "./operation-request.ts";
import { readParticipantAddress } from "./participant-address.ts";
import { invalidAnswer, ParticipantCallError } from "./participant-call-error.ts";
import { type ParticipantStatus, readParticipantStatus } from "./participant-status.ts";
import { readRefusal } from "./read-refusal.ts";
import { readResult } from "./read-result.ts";
import { readSmallJson } from "./read-small-json.ts";
import { startTimeLimit } from "./time-limit.ts";

const MAX_ANSWER_BYTES = 8 * 1024 ** 3;
const MAX_STATUS_BYTES = 1024 * 1024;
const PROBE_MS = 10_000;
const CANCEL_MS = 2_000;
/** Maximum idle time on a connection. Longer than any wait requested from a Tollgate participant. */
const SILENCE_MS = 60_000;
const GRACE_SECONDS = 15;
const DEFAULT_TIMEOUT_SECONDS = 86_400;

export interface ParticipantClientOptions {
  readonly url: string;
  readonly token?: string;
  /** Allows plain HTTP to other machines, for networks secured in another way. */
  readonly allowPlainHttp?: boolean;
  readonly tls?: TlsOptions;
  /** Folder in which large responses are spooled. */
  readonly folder: string;
  readonly maxAnswerBytes?: number;
  /** Extra time, in seconds, in which the participant can report the timeout after a call's time limit. Default: 15. */
  readonly graceSeconds?: number;
}

/** Result of a call. The receiver must dispose of its parameters. */
export interface CallAnswer {
  readonly fields: JsonObject;
  readonly blobs: Blobs;
  readonly jobId?: string;
  readonly durationMs: number;
}

/**
 * Calls one participant. Tollgate participants use frames and job IDs, and other participants use the three basic
 * calls.
 */
export class ParticipantClient {
  readonly #connection: HttpConnection;
  readonly #token: string | undefined;
  readonly #headers: Record<string, string>;
  readonly #limits: { readonly maxBytes: number; readonly folder: string };
  readonly #graceSeconds: number;
  #abilities: Abilities | null | undefined;

  constructor(options: ParticipantClientOptions) {
    const url = readParticipantAddress(options.url, options.allowPlainHttp ?? false);
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
      throw new TypeError("A token must consist of printable characters without spaces.");
    }
    this.#connection = new HttpConnection(url, options.tls);
    this.#token = options.token;
    this.#headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    this.#limits = { maxBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES, folder: options.folder };
    this.#graceSeconds = options.graceSeconds ?? GRACE_SECONDS;
  }

  /** Returns the participant's status; null if it supports only the three basic calls. */
  async status(signal?: AbortSignal): Promise<ParticipantStatus | null> {
    const limited = within(PROBE_MS, signal);
    try {
      const status = await this.#readStatus(await this.#get("status", limited));
      this.#abilities = status && { frames: status.formats.includes("frames") };
      return status;
    } catch (error) {
      throw explainAbort(error, limited, signal);
    }
  }

  /**
   * Reports whether the participant is reachable and accepts work. A participant without a health check is healthy if
   * it sends any response.
   */
  async healthy(signal?: AbortSignal): Promise<boolean> {
    try {
      const response = await this.#get("healthz", within(PROBE_MS, signal));
      response.resume();
      return response.statusCode === 200 || isUnknownPath(response);
    } catch (error) {
      if (signal?.aborted) throw error;
      return false;
    }
  }

  train(request: ModelRequest, options: CallOptions = {}): Promise<CallAnswer> {
    return this.#call("train", request, options);
  }

  evaluate(request: ModelRequest, options: CallOptions = {}): Promise<CallAnswer> {
    return this.#call("evaluate", request, options);
  }

  aggregate(request: AggregateRequest, options: CallOptions = {}): Promise<CallAnswer> {
    return this.#call("aggregate", request, options);
  }

  /** Cancels a job. Waits only briefly for the response, and ignores failures. */
  async cancel(jobId: string): Promise<void> {
    try {
      const response = await this.#connection.exchange({
        method: "DELETE",
        path: `jobs/${encodeURIComponent(jobId)}`,
        headers: this.#headers,
        signal: AbortSignal.timeout(CANCEL_MS),
      });
      response.resume();
    } catch {
      // Ignore the failure: the canceling caller no longer needs this job.
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #call(
    operation: Operation,
    request: ModelRequest | AggregateRequest,
    options: CallOptions,
  ): Promise<CallAnswer> {
    const startedAt = performance.now();
    const limitSeconds = (options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) + this.#graceSeconds;
    if (this.#abilities === undefined) await this.status(options.signal);
    const abilities = this.#abilities ?? null;
    const limit = startTimeLimit(limitSeconds * 1000);
    const signal = options.signal === undefined ? limit.signal : AbortSignal.any([options.signal, limit.signal]);
    try {
      const posted = await this.#post(operation, request, options, abilities, signal);
      const { response, jobId } = await this.#settle(posted, options, signal);
      if (response.statusCode !== 200) throw await readRefusal(response, this.#token);
      const maxBytes = Math.min(this.#limits.maxBytes, options.maxAnswerBytes ?? this.#limits.maxBytes);
      const { fields, blobs } = await readResult(response, operation, { ...this.#limits, maxBytes });
      const reported = Number(response.headers["x-duration-ms"] ?? Number.NaN);
      const durationMs = Number.isFinite(reported) ? reported : Math.round(performance.now() - startedAt);
      return { fields, blobs, jobId, durationMs };
    } catch (error) {
      throw explainAbort(error, signal, options.signal);
    } finally {
      limit.clear();
    }
  }

  #post(
    operation: Operation,
    request: ModelRequest | AggregateRequest,
    options: CallOptions,
    abilities: Abilities | null,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const body = encodeRequest(operation, request, abilities);
    return this.#connection.exchange({
      method: "POST",
      path: operation,
      headers: {
        ...this.#headers,
        ...describeCall(request, options),
        // An asynchronous job has its ID immediately, so it can be canceled from the start.
        ...(abilities === null ? {} : { prefer: "respond-async" }),
        accept: abilities?.frames ? `${FRAMES_TYPE}, ${JSON_TYPE}` : JSON_TYPE,
        "content-type": body.contentType,
        "content-length": String(body.contentLength),
      },
      body,
      signal,
      // A participant that responds only when its job is done sends nothing while it works.
      silenceMs: abilities === null ? undefined : SILENCE_MS,
    });
  }

  /** Returns the final response: the given response, or the result of the job that it names. */
  async #settle(
    posted: IncomingMessage,
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<{ response: IncomingMessage; jobId?: string }> {
    if (posted.statusCode !== 202) {
      const named = posted.headers["x-job-id"];
      const jobId = typeof named === "string" ? named : undefined;
      if (jobId !== undefined) options.onJob?.(jobId);
      return { response: posted, jobId };
    }
    const accepted = await readSmallJson(posted);
    const jobId = accepted?.jobId;
    if (typeof jobId !== "string") throw invalidAnswer("it accepted the work without returning a job ID", 202);
    options.onJob?.(jobId);
    const watch = new JobWatch(jobId, this.#get.bind(this), signal);
    return { response: await watch.awaitResult(options.onProgress), jobId };
  }

  #get(path: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const accept = this.#abilities?.frames ? `${FRAMES_TYPE}, ${JSON_TYPE}` : JSON_TYPE;
    return this.#connection.exchange({
      method: "GET",
      path,
      headers: { ...this.#headers, accept, ...headers },
      signal,
      silenceMs: SILENCE_MS,
    });
  }

  async #readStatus(response: IncomingMessage): Promise<ParticipantStatus | null> {
    if (isUnknownPath(response)) {
      response.resume();
      return null;
    }
    if (response.statusCode !== 200) throw await readRefusal(response, this.#token);
    return readParticipantStatus(await readSmallJson(response, MAX_STATUS_BYTES).catch(() => undefined));
  }
}

function isUnknownPath(response: IncomingMessage): boolean {
  return response.statusCode === 404 || response.statusCode === 405 || response.statusCode === 501;
}

function within(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(milliseconds);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

/** Rethrows the caller's own abort reason, and converts a timeout to a ParticipantCallError. */
function explainAbort(error: unknown, limited: AbortSignal, caller: AbortSignal | undefined): unknown {
  if (caller?.aborted) return caller.reason;
  if (!limited.aborted) return error;
  return new ParticipantCallError("no response within the time limit", {
    status: 0,
    code: "TIMEOUT",
    retryable: true,
    cause: error,
  });
}
