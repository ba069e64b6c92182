const pending = new Set<() => Promise<void>>();

/** Registers a cleanup, so that an interrupted run leaves nothing behind. Returns a function that runs it once. */
export function undoAtEnd(undo: () => Promise<void>): () => Promise<void> {
  let undone: Promise<void> | null = null;
  const undoOnce = () => {
    undone ??= undo().finally(() => pending.delete(undoOnce));
    return undone;
  };
  pending.add(undoOnce);
  return undoOnce;
}

/** Runs all pending cleanups. */
export async function undoEverything(): Promise<void> {
  await Promise.all([...pending].map((undo) => undo()));
}
