import { popTask, pushTask, type Task } from "./task-heap.ts";

/**
 * Time for a whole fleet. Like the scheduler of the small worlds, but what a call does at its gateway ends within its own
 * task, so promises are waited for only after the tasks that answer somebody.
 */
export class FleetTime {
  nowMs = 0;
  readonly #heap: Task[] = [];
  #order = 0;

  /** Runs the work once after so long; promises that it resolves go on before time does. */
  after(ms: number, work: () => void): () => void {
    return this.#add(ms, work, true);
  }

  /** The same for work that resolves no promise, which costs a tenth. */
  afterSilently(ms: number, work: () => void): void {
    this.#add(ms, work, false);
  }

  /** Resolves with what the work gives, after so long. */
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

/** All promises that can go on without time passing have gone on: the loop turns only when its microtasks are done. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
