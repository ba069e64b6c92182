/** What the page leaves out, because it is long or differs each time. */
const GAP = "…";

/**
 * Whether a program printed what the page says: all of its pieces, in their order. White space does not count, because a
 * page breaks long lines; what the page shows as `…` may be anything.
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
