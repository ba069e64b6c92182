import type { Clock } from "./ports.ts";

/** Resolves with the answer. Rejects on timeout, in which case the outcome is unknown. */
export function answerWithin<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`The ledger did not respond within ${ms} ms.`)));
    answer.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
