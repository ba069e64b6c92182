import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { JsonValue, Metrics, Progress } from "../handlers.ts";
import { ParticipantCallError } from "./participant-call-error.ts";
import { readSmallJson } from "./read-small-json.ts";

const WAIT_SECONDS = 20;
const POLL_MS = 1_000;
const MAX_FAILURES_IN_A_ROW = 3;

type Get = (path: string, signal: AbortSignal, headers?: Record<string, string>) => Promise<IncomingMessage>;

/** Waits until one of a participant's jobs has ended. */
export class JobWatch {
  readonly #path: string;
  readonly #get: Get;
  readonly #signal: AbortSignal;

  constructor(jobId: string, get: Get, signal: AbortSignal) {
    this.#path = `jobs/${encodeURIComponent(jobId)}`;
    this.#get = get;
    this.#signal = signal;
  }

  /** Returns the response that ends the job, successful or not. Reports progress until then. */
  async awaitResult(onProgress?: (progress: Progress) => void): Promise<IncomingMessage> {
    const ended = new AbortController();
    const reporting = onProgress && this.#tellProgress(onProgress, AbortSignal.any([this.#signal, ended.signal]));
    try {
      return await this.#pollResult();
    } finally {
      ended.abort();
      await reporting;
    }
  }

  async #pollResult(): Promise<IncomingMessage> {
    for (let failures = 0; ; ) {
      const askedAt = performance.now();
      try {
        const response = await this.#get(`${this.#path}/result`, this.#signal, { prefer: `wait=${WAIT_SECONDS}` });
        failures = 0;
        if (response.statusCode === 404) throw jobLost(response);
        if (response.statusCode !== 202) return response;
        response.resume();
      } catch (error) {
        failures += 1;
        if (!isPassing(error) || failures > MAX_FAILURES_IN_A_ROW) throw error;
      }
      // A participant may ignore the requested wait, so don't poll it in a tight loop.
      await pause(Math.max(0, POLL_MS - (performance.now() - askedAt)), undefined, { signal: this.#signal });
    }
  }

  async #tellProgress(onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(POLL_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        const response = await this.#get(this.#path, signal);
        const progress = readProgress((await readSmallJson(response))?.progress);
        if (progress !== undefined && !signal.aborted) onProgress(progress);
      } catch {
        // Progress is optional. The wait for the result detects a lost job.
      }
    }
  }
}

/**
 * Reports whether to reconnect. A broken connection is retried so that a long job isn't sent again. An unreachable
 * participant is not retried.
 */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ParticipantCallError) || error.status !== 0 || !error.retryable) return false;
  const cause = error.cause;
  return !(cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED");
}

function jobLost(response: IncomingMessage): ParticipantCallError {
  response.resume();
  return new ParticipantCallError("no longer has the job it accepted; it may have been restarted", {
    status: 404,
    code: "JOB_LOST",
    retryable: true,
  });
}

function readProgress(value: JsonValue | undefined): Progress | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { step, total, metrics } = value;
  if (!isFiniteNumber(step)) return undefined;
  return {
    step,
    ...(isFiniteNumber(total) ? { total } : {}),
    ...(typeof metrics === "object" && metrics !== null ? { metrics: readMetrics(Object.entries(metrics)) } : {}),
  };
}

function readMetrics(entries: [string, JsonValue][]): Metrics {
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => isFiniteNumber(entry[1])));
}

function isFiniteNumber(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
