import type { Clock } from "./ports.ts";

/** An answer, or a failure when it takes longer than this: then its outcome is unknown. */
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
