import { setImmediate as othersTurn } from "node:timers/promises";

/** Long work that can be left off between its pieces. */
export type Pieces<T> = Generator<void, T>;

/** The longest a process does nothing else. */
const TURN_MS = 50;

/** Does all of it at once. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

/** Does it piece by piece and lets others have their turn between, to the same result. An abort ends it early. */
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
