/** Returns the closest match for a word; null if no candidate is close enough. */
export function closestTo(word: string, known: readonly string[]): string | null {
  const best = known
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.edits - other.edits)[0];
  return best !== undefined && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : null;
}

/** Returns the edit distance: the number of insertions, deletions, replacements, and swaps of adjacent letters. */
function editsBetween(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, i) =>
    Array.from({ length: other.length + 1 }, (_, j) => i + j),
  );
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= one.length; i += 1) {
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const steps = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)];
      (rows[i] as number[])[j] = Math.min(...steps, ...(isSwapped ? [at(i - 2, j - 2) + 1] : []));
    }
  }
  return at(one.length, other.length);
}
