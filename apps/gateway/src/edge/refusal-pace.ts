import type { Connection } from "./connections.ts";
import type { Exchange } from "./exchange.ts";

const TICK_MS = 10;
/** Two thousand a second: less than a tenth of a core where it is quiet, and not much more where it is not. */
const REFUSALS_PER_MS = 2;
/** What may be saved up for a moment in which all come at once. */
const MAX_SAVED = 400;
/** A body that nobody wants has to be read all the same, and so many bytes of it cost as much as the refusal. */
const BYTES_PER_REFUSAL = 16 * 1024;
/** Nobody is left unread for longer than clients are told to stay away. */
const MAX_REST_MS = 1_000;

interface Resting {
  readonly connection: Connection;
  readonly sinceMs: number;
}

/**
 * Keeps refusals from taking the time of those who are served. So many are answered at once; a connection that is refused
 * beyond that is not read for a moment, and what its client sends meanwhile waits in the network, where it costs nothing.
 * A client that comes back when it was told to never notices.
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

  /** How often a connection was left unread since the start. */
  rests = 0;

  /** How many are not read just now. */
  get resting(): number {
    return this.#resting.length;
  }

  /** A call over this connection was refused because there is too much to do. */
  note(connection: Connection, exchange: Exchange): void {
    if (this.#timer === null) this.#start();
    this.#left -= 1 + Number(exchange.headers.contentLength ?? 0) / BYTES_PER_REFUSAL;
    if (this.#left >= 0) return;
    // The parser reads on when a body is complete, so the pause has to come after that.
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
    // Whoever is late has little time to give away.
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
