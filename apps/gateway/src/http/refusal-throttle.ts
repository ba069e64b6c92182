import type { Exchange } from "../call/exchange.ts";
import type { Connection } from "./connections.ts";

const TICK_MS = 10;
/**
 * Rate of refusals that are sent immediately. Two thousand refusals per second take less than 10% of a core on an idle
 * machine, and not much more on a busy machine.
 */
const REFUSALS_PER_MS = 2;
/** Maximum burst of refusals. */
const MAX_SAVED = 400;
/** Number of discarded body bytes that cost as much as one refusal, because a discarded body must still be read. */
const BYTES_PER_REFUSAL = 16 * 1024;
/** Maximum time that a connection is paused. Never longer than the Retry-After sent to clients. */
const MAX_REST_MS = 1_000;

interface Resting {
  readonly connection: Connection;
  readonly sinceMs: number;
}

/**
 * Prevents refusals from taking time from served calls. Up to a limit, refusals are sent immediately. Beyond that
 * limit, reading from the refused connection pauses briefly, so that the client's data waits in the network. A client
 * that honors Retry-After is unaffected.
 */
export class RefusalThrottle {
  readonly #now: () => number;
  readonly #resting: Resting[] = [];
  #left = MAX_SAVED;
  #timer: NodeJS.Timeout | null = null;
  #tickedAtMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of connection pauses since startup. */
  rests = 0;

  /** Number of currently paused connections. */
  get resting(): number {
    return this.#resting.length;
  }

  /** Counts a call on this connection that has been refused because of overload. */
  note(connection: Connection, exchange: Exchange): void {
    if (this.#timer === null) this.#start();
    this.#left -= 1 + Number(exchange.headers.contentLength ?? 0) / BYTES_PER_REFUSAL;
    if (this.#left >= 0) return;
    // The parser resumes reading when a body is complete, so the pause must start after that.
    const rest = () => process.nextTick(() => this.#rest(connection));
    if (exchange.hasWholeBody) rest();
    else exchange.onWholeBody = rest;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #rest(connection: Connection): void {
    const { socket, exchanges, isClosing } = connection;
    if (isClosing || exchanges.length > 0 || socket.destroyed || socket.isPaused()) return;
    socket.pause();
    this.rests += 1;
    this.#resting.push({ connection, sinceMs: this.#now() });
  }

  #start(): void {
    this.#tickedAtMs = this.#now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const nowMs = this.#now();
    // A delayed process has little capacity for refusals, so cap the elapsed time.
    const elapsedMs = Math.min(nowMs - this.#tickedAtMs, TICK_MS * 2);
    this.#left = Math.min(MAX_SAVED, Math.max(0, this.#left) + elapsedMs * REFUSALS_PER_MS);
    this.#tickedAtMs = nowMs;
    let woken = 0;
    for (const { sinceMs } of this.#resting) {
      if (woken >= this.#left && sinceMs > nowMs - MAX_REST_MS) break;
      woken += 1;
    }
    for (const { connection } of this.#resting.splice(0, woken)) connection.socket.resume();
    if (this.#left === MAX_SAVED && this.#resting.length === 0) this.close();
  }
}
