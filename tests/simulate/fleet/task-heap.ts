export interface Task {
  readonly atMs: number;
  /** Tasks of one instant run in the order they were set. */
  readonly order: number;
  work: (() => void) | null;
  /** Whether it may resolve a promise that somebody waits for. */
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

/** Takes the earliest task out of a heap that has one. */
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
