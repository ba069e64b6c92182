import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { ParticipantCallError } from "@tollgate/participant/client/participant-call-error.ts";
import { type CallAnswer, ParticipantClient } from "@tollgate/participant/client/participant-client.ts";
import { startTimeLimit } from "@tollgate/participant/client/time-limit.ts";
import type { JsonObject, JsonValue, Operation, Progress } from "@tollgate/participant/handlers.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";
import { formatDuration } from "../plan/duration.ts";
import type { ParticipantPlan, Plan } from "../plan/plan.ts";
import { PlanError, type PlanProblem } from "../plan/plan-error.ts";
import { readMetrics } from "../rounds/read-answer.ts";
import type { RunLog } from "../run-log.ts";
import { backoffMs } from "./backoff.ts";
import { CallFailure } from "./call-failure.ts";
import { Slots } from "./slots.ts";

const HEALTH_TIMEOUT_MS = 5000;

export type Environment = Readonly<Record<string, string | undefined>>;

interface FleetOptions {
  readonly run: string;
  readonly env: Environment;
  /** Folder for spooling responses larger than a few megabytes, on the same file system as the blobs. */
  readonly folder: string;
  readonly log: RunLog;
  readonly random: () => number;
  /**
   * Returns why a participant has failed permanently if its process is known to have exited, in which case it isn't
   * retried.
   */
  readonly describeFailure?: (participant: string) => string | null | undefined;
  /** Restarts a participant whose process exited, if the caller can. Awaited before the status check. */
  readonly revive?: (participant: string, signal: AbortSignal) => Promise<void>;
}

interface Call {
  readonly operation: Operation;
  readonly round: number;
  readonly config: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly parameters?: StoredBytes | null;
  readonly parametersList?: readonly StoredBytes[];
  readonly weights?: readonly number[];
  /** Maximum response size, if known, so that a response cannot fill the disk. */
  readonly maxAnswerBytes?: number;
  /** Called when the call leaves the queue and is sent. */
  readonly onStart?: () => void;
}

type Answer = CallAnswer & { readonly attempts: number };

/** The participants of a plan, and calls to them. */
export class Fleet {
  readonly #plan: Plan;
  readonly #options: FleetOptions;
  readonly #clients: ReadonlyMap<string, ParticipantClient>;
  readonly #slots: Slots;
  readonly #jobs = new Map<string, string>();

  constructor(plan: Plan, options: FleetOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#slots = new Slots(plan.round.maxConcurrent);
    const tokens = resolveTokens(plan, options.env);
    this.#clients = new Map(
      plan.participants.map((participant) => [
        participant.id,
        new ParticipantClient({
          url: participant.url,
          token: tokens.get(participant.id),
          allowPlainHttp: participant.insecure,
          tls: readTlsFiles(participant),
          folder: options.folder,
        }),
      ]),
    );
  }

  /** Returns why a participant cannot be selected now; null if it can. */
  async findObstacle(id: string, operation: Operation, signal: AbortSignal): Promise<CallFailure | null> {
    await this.#options.revive?.(id, signal);
    try {
      const status = await this.#client(id).status(AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)]));
      if (status === null || status.handlers[operation]) return null;
      return new CallFailure("NOT_REGISTERED", `has no ${operation} function`, 1);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && error.name === "TimeoutError") {
        return new CallFailure("TIMEOUT", `no status within ${formatDuration(HEALTH_TIMEOUT_MS)}`, 1);
      }
      return this.#toFailure(id, error, 1);
    }
  }

  /**
   * Calls one operation of one participant. Retries transient failures under the same idempotency key. Throws
   * CallFailure if the call failed for this round or timed out, and the signal's reason if it was aborted.
   */
  call(id: string, call: Call): Promise<Answer> {
    return this.#slots.run(async () => {
      call.signal.throwIfAborted();
      call.onStart?.();
      const limit = startTimeLimit(call.timeoutMs);
      const bounded = { ...call, signal: AbortSignal.any([call.signal, limit.signal]) };
      try {
        return await this.#callRepeatedly(id, bounded);
      } catch (error) {
        call.signal.throwIfAborted();
        if (!limit.signal.aborted) throw error;
        await this.cancel(id);
        throw new CallFailure("TIMEOUT", `timeout ${formatDuration(call.timeoutMs)}`, 1);
      } finally {
        limit.clear();
      }
    });
  }

  /** Cancels a job that is no longer needed, if the participant is reachable. */
  async cancel(id: string): Promise<void> {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    if (job !== undefined) await this.#client(id).cancel(job);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }

  async #callRepeatedly(id: string, call: Call): Promise<Answer> {
    const key = `${this.#options.run}:${call.round}:${id}${call.operation === "train" ? "" : `:${call.operation}`}`;
    let ownKey = key;
    for (let attempt = 1; ; attempt += 1) {
      call.signal.throwIfAborted();
      try {
        const answer = await this.#callOnce(id, call, ownKey);
        return { ...answer, durationMs: Math.max(0, answer.durationMs), attempts: attempt };
      } catch (error) {
        call.signal.throwIfAborted();
        if (isConflict(error) && ownKey === key) ownKey = `${key}:${this.#digest(id, call)}`;
        else await this.#waitOrFail(id, call, error, attempt);
      }
    }
  }

  /**
   * Returns a digest that distinguishes this call from an earlier call with the same key but a different plan or
   * different members.
   */
  #digest(id: string, { config, parameters, parametersList, weights }: Call): string {
    const { dataset } = this.#participant(id);
    const hashes = [parameters, ...(parametersList ?? [])].map((bytes) => bytes?.sha256);
    return createHash("sha256")
      .update(JSON.stringify([config, dataset, hashes, weights]))
      .digest("hex")
      .slice(0, 16);
  }

  async #callOnce(id: string, call: Call, idempotencyKey: string): Promise<CallAnswer> {
    const {
      operation,
      round,
      config,
      parameters = null,
      parametersList = [],
      weights,
      signal,
      timeoutMs,
      maxAnswerBytes,
    } = call;
    const { run } = this.#options;
    const { log } = this.#options;
    const options = {
      runId: run,
      idempotencyKey,
      maxAnswerBytes,
      timeoutSeconds: Math.ceil(timeoutMs / 1000),
      signal,
      onJob: (job: string) => void this.#jobs.set(id, job),
      onProgress: ({ metrics = {}, ...progress }: Progress) => {
        const kept = { ...progress, metrics: readMetrics({ metrics }) };
        log.emit({ type: "participant.progress", round, participant: id, phase: operation, ...kept });
      },
    };
    const client = this.#client(id);
    try {
      if (operation === "aggregate") return await client.aggregate({ parametersList, weights, config, round }, options);
      const { dataset } = this.#participant(id);
      const request = { parameters, dataset: dataset as JsonValue, config, round };
      return operation === "train" ? await client.train(request, options) : await client.evaluate(request, options);
    } finally {
      if (!signal.aborted) this.#jobs.delete(id);
    }
  }

  async #waitOrFail(id: string, { round, signal }: Call, error: unknown, attempt: number): Promise<void> {
    const failure = this.#toFailure(id, error, attempt);
    const isRetryable = error instanceof ParticipantCallError && error.retryable && !this.#isGone(id);
    if (!isRetryable || attempt >= this.#plan.retry.attempts) throw failure;
    const waitMs = backoffMs(attempt, this.#plan.retry, this.#options.random, error.retryAfterMs);
    const note = `${failure.message}, retrying in ${formatDuration(waitMs)}`;
    this.#options.log.emit({ type: "participant.state", round, participant: id, state: "retrying", note });
    await pause(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  #toFailure(id: string, error: unknown, attempts: number): CallFailure {
    if (!(error instanceof ParticipantCallError)) throw error;
    const gone = error.status === 0 ? this.#options.describeFailure?.(id) : undefined;
    return new CallFailure(error.code, gone ?? error.message, attempts);
  }

  #isGone(id: string): boolean {
    return (this.#options.describeFailure?.(id) ?? null) !== null;
  }

  #client(id: string): ParticipantClient {
    return this.#clients.get(id) as ParticipantClient;
  }

  #participant(id: string): ParticipantPlan {
    return this.#plan.participants.find((participant) => participant.id === id) as ParticipantPlan;
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ParticipantCallError && error.code === "CONFLICT";
}

/** Reads the tokens from the plan's environment variables. Throws a PlanError that names the missing variables. */
export function resolveTokens(plan: Plan, env: Environment): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  const problems: PlanProblem[] = [];
  for (const [index, { id, tokenEnv }] of plan.participants.entries()) {
    if (tokenEnv === null) continue;
    const token = env[tokenEnv];
    if (token !== undefined && token !== "") tokens.set(id, token);
    else {
      problems.push({
        path: `participants[${index}].tokenEnv`,
        message: `the environment variable ${tokenEnv} is not set`,
        fix: `Set ${tokenEnv} to the token of ${id}.`,
      });
    }
  }
  if (problems.length > 0) throw new PlanError(problems);
  return tokens;
}

/** Reads the certificates that a plan names for a participant; undefined if the plan names no certificates. */
export function readTlsFiles({ id, tls }: ParticipantPlan): { ca?: string; cert?: string; key?: string } | undefined {
  if (tls === null) return undefined;
  try {
    const [ca, cert, key] = [tls.ca, tls.cert, tls.key].map((path) =>
      path === null ? undefined : readFileSync(path, "utf8"),
    );
    return { ca, cert, key };
  } catch (error) {
    const message = `could not read a file: ${(error as Error).message}`;
    throw new PlanError([
      { path: `participants (${id}).tls`, message, fix: "Correct the path or the file permissions." },
    ]);
  }
}
