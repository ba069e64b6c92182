export interface Task {
  readonly atMs: number;
  /** Tasks with the same time run in insertion order. */
  readonly order: number;
  work: (() => void) | null;
  /** True if the task may resolve a promise. */
  readonly answers: boolean;
}

function isBefore(one: Task, other: Task): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

export function pushTask(heap: Task[], task: Task): void {
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

/** Removes the earliest task from a non-empty heap. */
export function popTask(heap: Task[]): void {
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
