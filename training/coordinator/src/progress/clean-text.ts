const LIMIT = 160;

/** Reduces a participant's text to a single short line that cannot move the cursor or start a new line. */
export function cleanText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > LIMIT ? `${line.slice(0, LIMIT - 1)}…` : line;
}
