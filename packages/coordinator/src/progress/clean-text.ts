const LIMIT = 160;

/** Words of a participant as one short line: nothing in them can move a terminal's cursor or start a line of its own. */
export function cleanText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > LIMIT ? `${line.slice(0, LIMIT - 1)}…` : line;
}
