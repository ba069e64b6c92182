/** Marks output that a page omits because the output is long or varies. */
const GAP = "…";

/**
 * Returns the first piece of expected output that the program did not print, or null. Pieces must appear in order.
 * Whitespace is ignored, because a page wraps long lines, and `…` matches anything.
 */
export function findMissing(expected: string, printed: string): string | null {
  const text = withoutSpace(printed);
  let from = 0;
  for (const piece of expected.split("\n").flatMap((line) => line.split(GAP))) {
    const wanted = withoutSpace(piece);
    if (wanted === "") continue;
    const at = text.indexOf(wanted, from);
    if (at < 0) return piece.trim();
    from = at + wanted.length;
  }
  return null;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
