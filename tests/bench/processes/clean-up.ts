const pending = new Set<() => Promise<void>>();

/** Remembers how to undo something, so that an interrupted run leaves nothing behind. What is returned undoes it once. */
export function undoAtEnd(undo: () => Promise<void>): () => Promise<void> {
  let undone: Promise<void> | null = null;
  const undoOnce = () => {
    undone ??= undo().finally(() => pending.delete(undoOnce));
    return undone;
  };
  pending.add(undoOnce);
  return undoOnce;
}

/** Undoes everything that is still there. */
export async function undoEverything(): Promise<void> {
  await Promise.all([...pending].map((undo) => undo()));
}
