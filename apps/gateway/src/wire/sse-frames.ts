/** Maximum size of an upstream frame. */
export const MAX_FRAME_BYTES = 1024 * 1024;

/** Returns the position after the last complete frame, or 0 if there is none. */
export function endOfLastFrame(text: string): number {
  if (text.endsWith("\n\n")) return text.length;
  const last = text.lastIndexOf("\n\n");
  return last < 0 ? 0 : last + 2;
}

/** Returns the JSON of a frame's data line, or null for comments and other fields. */
export function dataOfFrame(frame: string): string | null {
  if (!frame.startsWith("data:")) {
    const line = frame.split("\n").find((candidate) => candidate.startsWith("data:"));
    return line === undefined ? null : line.slice("data:".length).trim();
  }
  const end = frame.indexOf("\n");
  return frame.slice("data:".length, end < 0 ? frame.length : end).trim();
}
