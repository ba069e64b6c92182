interface Task {
  readonly atMs: number;
  readonly order: number;
  work: (() => void) | null;
}

/** Simulated clock that advances only when nothing is left to do at the current time. The scheduler runs all events. */
export class Scheduler {
  nowMs = 0;
  steps = 0;
  #order = 0;
  readonly #heap: Task[] = [];

  /** Runs the work after this delay, unless it is canceled first. */
  after(ms: number, work: () => void): () => void {
    const task: Task = { atMs: this.nowMs + Math.max(0, ms), order: this.#order++, work };
    push(this.#heap, task);
    return () => {
      task.work = null;
    };
  }

  /** Resolves after this delay. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Runs every task up to this time, in order. `check` runs after each task and returns whether to continue. */
  async runUntil(atMs: number, check: () => boolean): Promise<void> {
    // Work that started between two runs continues before the clock advances.
    await settlePromises();
    for (;;) {
      const task = this.#heap[0];
      if (task === undefined || task.atMs > atMs) break;
      pop(this.#heap);
      if (task.work === null) continue;
      this.nowMs = Math.max(this.nowMs, task.atMs);
      this.steps += 1;
      const { work } = task;
      task.work = null;
      work();
      await settlePromises();
      if (!check()) return;
    }
    this.nowMs = Math.max(this.nowMs, atMs);
  }
}

/**
 * Waits until all promises that can settle without time passing have settled. The event loop continues only after all
 * microtasks have run.
 */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function isBefore(one: Task, other: Task): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

function push(heap: Task[], task: Task): void {
  let index = heap.length;
  heap.push(task);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Task;
    if (!isBefore(task, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = task;
}

function pop(heap: Task[]): void {
  const last = heap.pop() as Task;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let below = 2 * index + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Task, heap[below] as Task)) below += 1;
    if (!isBefore(heap[below] as Task, last)) break;
    heap[index] = heap[below] as Task;
    index = below;
  }
  heap[index] = last;
}
