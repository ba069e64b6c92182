const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const FULL = "█";

/** A bar for a share of the largest, exact to an eighth of a column. What is more than nothing is always seen. */
export function drawBar(value: number, largest: number, width: number): string {
  if (value <= 0 || largest <= 0) return "";
  const eighths = Math.max(1, Math.round((value / largest) * width * PARTS.length));
  return FULL.repeat(Math.floor(eighths / PARTS.length)) + (PARTS[eighths % PARTS.length] ?? "");
}
