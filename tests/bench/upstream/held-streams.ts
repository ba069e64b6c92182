import type { Socket } from "node:net";

const intervalMs = 500;
const groups = 10;

/**
 * Streams that receive a frame every half second until `endAll`. A tenth of the streams are served at a time, to spread
 * the work. Consecutive frames differ, because some gateways end a stream that repeats itself.
 */
export class HeldStreams {
  readonly #begin: Buffer;
  readonly #frames: readonly Buffer[];
  readonly #end: Buffer;
  readonly #sockets = Array.from({ length: groups }, () => new Set<Socket>());
  #opened = 0;
  #turn = 0;

  constructor(begin: Buffer, frames: readonly Buffer[], end: Buffer) {
    this.#begin = begin;
    this.#frames = frames;
    this.#end = end;
    setInterval(() => this.#sendToNextGroup(), intervalMs / groups).unref();
  }

  open(socket: Socket): void {
    const group = this.#sockets[this.#opened++ % groups];
    group?.add(socket);
    socket.once("close", () => group?.delete(socket));
    socket.write(this.#begin);
  }

  /** Ends every held stream the way an upstream does. Returns the number of streams. */
  endAll(): number {
    let ended = 0;
    for (const group of this.#sockets) {
      for (const socket of group) socket.write(this.#end);
      ended += group.size;
      group.clear();
    }
    return ended;
  }

  #sendToNextGroup(): void {
    const frame = this.#frames[Math.floor(this.#turn / groups) % this.#frames.length] as Buffer;
    for (const socket of this.#sockets[this.#turn++ % groups] ?? []) socket.write(frame);
  }
}
