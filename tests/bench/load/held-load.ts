import type { Target } from "./commands.ts";
import { LoadConnection } from "./load-connection.ts";

const openPerTurn = 7;
const stuckAfterMs = 30_000;

/** A set of streams that stay open until the upstream ends them. */
export class HeldLoad {
  #connections: LoadConnection[] = [];
  #ended = 0;
  #failed: string[] = [];

  /** Opens streams evenly, at a maximum rate per second, and waits until each stream has received its first bytes. */
  async open(target: Target, streams: number, perSecond: number): Promise<void> {
    const request = Buffer.from(target.request, "base64");
    this.#connections = [];
    this.#ended = 0;
    this.#failed = [];
    for (let opened = 0; opened < streams; ) {
      const turnEnds = pause((openPerTurn / perSecond) * 1000);
      for (let index = 0; index < openPerTurn && opened < streams; index += 1, opened += 1) {
        const connection = new LoadConnection(target, request, (_, problem) => this.#end(problem));
        this.#connections.push(connection);
        connection.send();
      }
      await turnEnds;
    }
    await this.#waitFor("first bytes of every stream", () => this.#connections.every((held) => held.bytesSeen > 0));
  }

  /** Returns the number of bytes received on all streams. Throws if a stream has ended early. */
  countBytes(): number {
    this.#throwIfFailed();
    if (this.#ended > 0) throw new Error(`${this.#ended} held streams ended too early`);
    return this.#connections.reduce((sum, held) => sum + held.bytesSeen, 0);
  }

  /** Waits until every stream has ended properly. Returns the number of streams. */
  async awaitEnd(): Promise<number> {
    await this.#waitFor("the end of every held stream", () => this.#ended === this.#connections.length);
    for (const connection of this.#connections) connection.close();
    return this.#ended;
  }

  /** Closes all streams, regardless of their state. */
  drop(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
  }

  async #waitFor(what: string, isMet: () => boolean): Promise<void> {
    const deadline = performance.now() + stuckAfterMs;
    while (!isMet()) {
      this.#throwIfFailed();
      if (performance.now() > deadline) throw new Error(`waited ${stuckAfterMs} ms for ${what}`);
      await pause(50);
    }
    this.#throwIfFailed();
  }

  #end(problem: string | null): void {
    if (problem === null) this.#ended += 1;
    else this.#failed.push(problem);
  }

  #throwIfFailed(): void {
    if (this.#failed.length > 0)
      throw new Error(`${this.#failed.length} held streams failed; the first: ${this.#failed[0]}`);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
