import { setImmediate as othersTurn } from "node:timers/promises";

/** Long work that can be paused between pieces. */
export type Pieces<T> = Generator<void, T>;

/** Maximum time that the event loop is blocked. */
const TURN_MS = 50;

/** Runs all pieces synchronously. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Runs the pieces with the same result, but yields to the event loop between pieces. An abort stops the work early. */
export async function inTurns<T>(pieces: Pieces<T>, signal?: AbortSignal): Promise<T> {
  let turnEnds = performance.now() + TURN_MS;
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    if (performance.now() < turnEnds) continue;
    await othersTurn();
    signal?.throwIfAborted();
    turnEnds = performance.now() + TURN_MS;
  }
}
