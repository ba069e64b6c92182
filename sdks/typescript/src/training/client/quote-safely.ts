const LONGEST = 300;

/** Text from elsewhere, fit for a terminal and a log: one line, printable, not too long. */
export function quoteSafely(text: string): string {
  const line = text
    .slice(0, LONGEST * 4)
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
