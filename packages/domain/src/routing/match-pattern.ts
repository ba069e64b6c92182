/** Returns the text that each `*` of the pattern matches, or null if the pattern doesn't match the whole name. */
export function matchPattern(pattern: string, name: string): readonly string[] | null {
  const pieces = pattern.split("*");
  const first = pieces[0] as string;
  const last = pieces.at(-1) as string;
  if (pieces.length === 1) return pattern === name ? [] : null;
  if (!name.startsWith(first)) return null;
  const captures: string[] = [];
  let position = first.length;
  // Every star but the last matches as little as possible, which keeps matching linear in the name's length.
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, position);
    if (found < 0) return null;
    captures.push(name.slice(position, found));
    position = found + piece.length;
  }
  if (name.length - last.length < position || !name.endsWith(last)) return null;
  captures.push(name.slice(position, name.length - last.length));
  return captures;
}

/**
 * Returns the upstream model for a pattern's captures. Stars are filled in order. Without stars, the upstream model is
 * fixed.
 */
export function fillPattern(template: string, captures: readonly string[], askedName: string): string {
  const stars = template.split("*").length - 1;
  if (stars === 0) return template;
  if (captures.length > stars) return askedName;
  let index = 0;
  return template.replaceAll("*", () => captures[index++] ?? "");
}
