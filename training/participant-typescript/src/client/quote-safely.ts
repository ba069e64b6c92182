const LONGEST = 300;

/** Makes foreign text safe for terminals and logs: one printable line of limited length. */
export function quoteSafely(text: string): string {
  const line = text
    .slice(0, LONGEST * 4)
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
