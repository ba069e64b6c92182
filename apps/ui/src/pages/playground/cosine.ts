/** How alike two vectors point: 1 the same way, 0 across, −1 the other way. Null when one has no direction. */
export function cosine(one: readonly number[], other: readonly number[]): number | null {
  if (one.length !== other.length) return null;
  let [product, first, second] = [0, 0, 0];
  for (const [index, value] of one.entries()) {
    const beside = other[index] ?? 0;
    product += value * beside;
    first += value * value;
    second += beside * beside;
  }
  return first === 0 || second === 0 ? null : product / Math.sqrt(first * second);
}
