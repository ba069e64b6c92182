/** Moves overlapping labels apart: as little as possible, in order, and within the given bounds. */
export function spreadLabels(
  wanted: readonly number[],
  { gap, top, bottom }: { readonly gap: number; readonly top: number; readonly bottom: number },
): readonly number[] {
  const order = wanted.map((at, index) => ({ at, index })).toSorted((a, b) => a.at - b.at);
  const placed: number[] = [];
  for (const { at } of order) placed.push(Math.max(at, (placed.at(-1) ?? top - gap) + gap));
  for (let index = placed.length - 1; index >= 0; index -= 1) {
    const limit = index === placed.length - 1 ? bottom : (placed[index + 1] ?? bottom) - gap;
    placed[index] = Math.min(placed[index] ?? 0, limit);
  }
  const result = wanted.map(() => 0);
  order.forEach(({ index }, place) => {
    result[index] = placed[place] ?? 0;
  });
  return result;
}
