/** Returns the cosine similarity of two vectors, from −1 to 1; null if one is a zero vector or their lengths differ. */
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
