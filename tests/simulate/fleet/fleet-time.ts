import { popTask, pushTask, type Task } from "./task-heap.ts";

/**
 * Clock of a whole fleet. Unlike in the scheduler of the small simulations, a call's work at its gateway ends within
 * one task, so the clock waits for promises only after tasks that may resolve one.
 */
export class FleetTime {
  nowMs = 0;
  readonly #heap: Task[] = [];
  #order = 0;

  /** Runs the work after this delay. Promises that it resolves continue before the clock advances. */
  after(ms: number, work: () => void): () => void {
    return this.#add(ms, work, true);
  }

  /** After this delay, runs work that resolves no promise. Ten times faster than `after`. */
  afterSilently(ms: number, work: () => void): void {
    this.#add(ms, work, false);
  }

  /** Resolves with the result of the work after this delay. */
  answerAfter<Answer>(ms: number, work: () => Answer): Promise<Answer> {
    return new Promise((resolve) => void this.after(ms, () => resolve(work())));
  }

  async runUntil(atMs: number): Promise<void> {
    await settlePromises();
    for (;;) {
      const task = this.#heap[0];
      if (task === undefined || task.atMs > atMs) break;
      popTask(this.#heap);
      if (task.work === null) continue;
      this.nowMs = task.atMs;
      task.work();
      if (task.answers) await settlePromises();
    }
    this.nowMs = atMs;
  }

  #add(ms: number, work: () => void, answers: boolean): () => void {
    const task: Task = { atMs: this.nowMs + Math.max(0, ms), order: this.#order++, work, answers };
    pushTask(this.#heap, task);
    return () => {
      task.work = null;
    };
  }
}

/**
 * Waits until all promises that can settle without time passing have settled. The next tick comes only after all
 * microtasks have run.
 */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
