/** Marker for a pause in a stream. */
export const QUIET = Symbol("quiet");

/** Yields the given items, and `QUIET` whenever no item arrives for `pauseMs`. */
export async function* withIdleMarkers<Item>(
  items: AsyncIterable<Item>,
  pauseMs: number,
): AsyncGenerator<Item | typeof QUIET, void> {
  const iterator = items[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Item>> | null = null;
  try {
    for (;;) {
      next ??= iterator.next();
      const result = await orQuiet(next, pauseMs);
      if (result === QUIET) {
        yield QUIET;
        continue;
      }
      next = null;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    // A consumer that stops during a pause must not wait for the next item or receive its error.
    const ended = iterator.return?.();
    if (next === null) await ended;
    else Promise.all([next, ended]).catch(() => {});
  }
}

async function orQuiet<Value>(value: Promise<Value>, pauseMs: number): Promise<Value | typeof QUIET> {
  const { promise: quiet, resolve } = Promise.withResolvers<typeof QUIET>();
  const timer = setTimeout(() => resolve(QUIET), pauseMs);
  try {
    return await Promise.race([value, quiet]);
  } finally {
    clearTimeout(timer);
  }
}
