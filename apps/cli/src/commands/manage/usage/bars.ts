const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const FULL = "█";

/** Draws a bar scaled to the largest value, in eighths of a column. Values above zero are always visible. */
export function drawBar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return "";
  const eighths = Math.max(1, Math.round((value / largest) * width * PARTS.length));
  return FULL.repeat(Math.floor(eighths / PARTS.length)) + (PARTS[eighths % PARTS.length] ?? "");
}
