import { setTimeout as pause } from "node:timers/promises";
import { extendLeases, type Lease, readStatuses } from "@tollgate/db/assistants/run-lease.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { RunStatus } from "@tollgate/domain/assistants/run-machine.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";

/** Reason to stop work on a run early. */
export type StopReason =
  /** The run was canceled. */
  | "cancelled"
  /** Another worker owns the run, or the run has ended. All further writes are refused. */
  | "lost"
  /** This process is shutting down. */
  | "drained";

export interface HeldLease {
  /** Aborts with a `StopReason`. */
  readonly signal: AbortSignal;
  release(): void;
}

const LOOK_EVERY_MS = 500;
const EXTEND_EVERY_MS = 10_000;

/** Renews the leases of all runs in this process, and stops work on runs that were canceled or lost. */
export class RunLeaseRenewer {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #extendEveryMs: number;
  readonly #held = new Map<Lease, AbortController>();
  readonly #closing = new AbortController();
  /** Null while this process has no leases. */
  #running: Promise<void> | null = null;
  #extendedAtMs = 0;

  constructor(db: Database, logger: Logger, extendEveryMs = EXTEND_EVERY_MS) {
    this.#db = db;
    this.#logger = logger;
    this.#extendEveryMs = extendEveryMs;
  }

  hold(lease: Lease): HeldLease {
    const controller = new AbortController();
    this.#held.set(lease, controller);
    this.#running ??= this.#keep();
    return { signal: controller.signal, release: () => this.#held.delete(lease) };
  }

  /** Stops work on every run, because the process is shutting down. */
  drain(): void {
    for (const controller of this.#held.values()) controller.abort("drained" satisfies StopReason);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Checks the leases until all are released. */
  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    // A new lease is fresh.
    this.#extendedAtMs = performance.now();
    for (;;) {
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
      const leases = [...this.#held.keys()];
      if (signal.aborted || leases.length === 0) break;
      await this.#check(leases);
    }
    this.#running = null;
  }

  async #check(leases: readonly Lease[]): Promise<void> {
    const isTime = performance.now() - this.#extendedAtMs >= this.#extendEveryMs;
    try {
      this.#judge(leases, await (isTime ? extendLeases : readStatuses)(this.#db, leases));
      if (isTime) this.#extendedAtMs = performance.now();
    } catch (error) {
      // A failed renewal is ignored. If a lease expires during a database outage, the loss is detected after the
      // outage, and no write can succeed before that.
      this.#logger.warn("could not check run leases", { error });
    }
  }

  #judge(leases: readonly Lease[], statuses: ReadonlyMap<string, RunStatus>): void {
    for (const lease of leases) {
      const status = statuses.get(lease.runId);
      if (status === "in_progress") continue;
      const reason: StopReason = status === "cancelling" ? "cancelled" : "lost";
      this.#held.get(lease)?.abort(reason);
    }
  }
}
