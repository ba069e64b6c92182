/**
 * Caches a value for `keepMs`. Returns a stale value while a new one is read, so that only the first caller waits.
 * Concurrent callers share one read. After a failed read, the next caller retries.
 */
export function createStaleWhileRevalidate<Value>(
  keepMs: number,
  now: () => number,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let kept: { readonly value: Value; readonly atMs: number } | null = null;
  let reading: Promise<Value> | null = null;
  const readAnew = (): Promise<Value> => {
    const atMs = now();
    reading ??= read()
      .then((value) => {
        kept = { value, atMs };
        return value;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  return () => {
    if (kept === null) return readAnew();
    const { value, atMs } = kept;
    // A value older than twice `keepMs` is too stale to return, so wait for a new one.
    if (now() - atMs > keepMs * 2) return readAnew();
    if (now() - atMs > keepMs) readAnew().catch(() => {});
    return Promise.resolve(value);
  };
}
