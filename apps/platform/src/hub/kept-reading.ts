/**
 * Keeps what was read for so long. Older values are still given while a newer one is read, so that nobody waits but the
 * first; those who come together wait for one reading. A reading that fails is tried again by whoever comes next.
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
    // Twice as old is too old: nobody came for a while, and whoever comes now wants to see what is.
    if (now() - atMs > keepMs * 2) return readAnew();
    if (now() - atMs > keepMs) readAnew().catch(() => {});
    return Promise.resolve(value);
  };
}
