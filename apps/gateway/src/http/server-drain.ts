import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { UnattendedCalls } from "../limits/live-calls.ts";
import type { Connection, Connections, LateRequestLimits, OngoingAnswers } from "./connections.ts";
import { nextPoll } from "./next-poll.ts";

/**
 * Time for a client to send one more request on a keep-alive connection during a drain. The connection then closes, so
 * the time is longer if other processes have already taken over. Most clients don't reuse a connection after 5 s.
 */
const LATE_REQUEST_MS = { alone: 500, othersListen: 5_000 };
/**
 * Time for a client to send the first request on a new connection during a drain. On a busy machine, this may take
 * seconds.
 */
const FIRST_REQUEST_MS = 5_000;
/** Interval at which a drain checks for open connections. */
const DRAIN_LOOK_MS = 25;
/** Time for overdue calls to send a failure and for clients to read it. */
export const LAST_WORDS_MS = 1_000;

/** The parts of a server that a drain acts on. */
interface DrainedServer {
  readonly connections: Connections;
  readonly ongoing: OngoingAnswers;
  /** Calls whose clients have disconnected. */
  readonly unattended: UnattendedCalls;
  /** The raw sockets of all TLS connections, including those whose handshake is incomplete. */
  readonly beneath: ReadonlySet<Socket>;
  readonly now: () => number;
  readonly stopListening: () => void;
}

/** Ends the service of a server. The flags are plain fields, because every request reads them. */
export class ServerDrain {
  /** True if every response is the last one on its connection. */
  isLeaving = false;
  isDraining = false;
  readonly #server: DrainedServer;
  /**
   * Start of the drain. Clients that connected earlier were never asked to disconnect, so each may send one more call.
   */
  #sinceMs = Number.POSITIVE_INFINITY;
  #servesLate = false;

  constructor(server: DrainedServer) {
    this.#server = server;
  }

  /**
   * Makes every response the last one on its connection, so that clients reconnect and load balancers route them
   * elsewhere.
   */
  announceLeaving(): void {
    this.isLeaving = true;
    this.#server.connections.closeAfterAnswers();
  }

  /**
   * Stops accepting new calls and resolves when the running calls have ended, or at the deadline. If other processes
   * listen on the same socket, they get new connections from now on, and this process still serves the connections that
   * it has already accepted. Otherwise, it refuses calls on new connections.
   */
  async run(timeoutMs: number, othersListen: boolean): Promise<void> {
    this.announceLeaving();
    this.isDraining = true;
    this.#sinceMs = this.#server.now();
    this.#servesLate = othersListen;
    if (othersListen) this.#server.stopListening();
    // If the drain timeout is short, wait less for requests that may still arrive.
    const limits = {
      firstMs: Math.min(FIRST_REQUEST_MS, timeoutMs / 20),
      nextMs: Math.min(othersListen ? LATE_REQUEST_MS.othersListen : LATE_REQUEST_MS.alone, timeoutMs / 20),
    };
    const deadlineMs = this.#sinceMs + timeoutMs;
    while (await this.#server.ongoing.idleWithin(deadlineMs - this.#server.now())) {
      const isExpecting = this.#server.now() < Math.min(this.#expectingUntilMs(limits), deadlineMs);
      // Before it closes any connection, the server reads all bytes that have arrived.
      await (isExpecting ? pause(DRAIN_LOOK_MS) : nextPoll());
      if (!isExpecting && this.#server.ongoing.isIdle) return;
    }
    const failure = new Failure(
      "shutting_down",
      "This instance is shutting down and could not finish the response. Retry the request.",
    );
    this.#server.connections.cutAll(failure);
    this.#server.unattended.cutAll(failure);
    await this.#server.ongoing.idleWithin(LAST_WORDS_MS);
  }

  /**
   * Reports whether a draining server refuses the calls of a connection. If no other process listens, it refuses the
   * calls of clients that connected after the start of the drain.
   */
  refuses({ openedAtMs }: Connection): boolean {
    return !this.#servesLate && openedAtMs >= this.#sinceMs;
  }

  /** Returns the time until which clients connected before the drain may send another request. */
  #expectingUntilMs(limits: LateRequestLimits): number {
    const sinceMs = this.#sinceMs;
    const openedBeforeMs = this.#servesLate ? Number.POSITIVE_INFINITY : sinceMs;
    const untilMs = this.#server.connections.expectingUntilMs(sinceMs, limits, openedBeforeMs);
    const hasHandshakes = this.#server.beneath.size > this.#server.connections.size;
    return hasHandshakes ? Math.max(untilMs, sinceMs + limits.firstMs) : untilMs;
  }
}
