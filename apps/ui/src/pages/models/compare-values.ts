/** Returns the indexes of the lowest or highest values. Empty if all values are equal or only one value is known. */
export function bestOf(values: readonly (number | bigint | null)[], wanted: "low" | "high"): ReadonlySet<number> {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return new Set();
  const best = known.reduce((one, other) => ((wanted === "low" ? other < one : other > one) ? other : one));
  if (known.every((value) => value === best)) return new Set();
  return new Set(values.flatMap((value, index) => (value === best ? [index] : [])));
}
