import type { Socket } from "node:net";

const intervalMs = 500;
const groups = 10;

/** Streams that get a frame every half second until they are told to end; a tenth of them at a time, to spread the work. */
export class HeldStreams {
  readonly #begin: Buffer;
  readonly #frame: Buffer;
  readonly #end: Buffer;
  readonly #sockets = Array.from({ length: groups }, () => new Set<Socket>());
  #opened = 0;
  #turn = 0;

  constructor(begin: Buffer, frame: Buffer, end: Buffer) {
    this.#begin = begin;
    this.#frame = frame;
    this.#end = end;
    setInterval(() => this.#sendToNextGroup(), intervalMs / groups).unref();
  }

  open(socket: Socket): void {
    const group = this.#sockets[this.#opened++ % groups];
    group?.add(socket);
    socket.once("close", () => group?.delete(socket));
    socket.write(this.#begin);
  }

  /** Ends every held stream as an upstream does, and says how many there were. */
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
    for (const socket of this.#sockets[this.#turn++ % groups] ?? []) socket.write(this.#frame);
  }
}
