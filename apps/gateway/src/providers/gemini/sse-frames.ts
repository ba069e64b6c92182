/** Pictures come whole in one frame, so frames of this wire may be long. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const BREAK = /\r?\n\r?\n/;
const MAX_BREAK = "\r\n\r\n".length;

/**
 * Cuts a stream into the data of its frames. What waits for its end is kept in pieces and joined once, because a frame
 * with a picture arrives in hundreds of them.
 */
export class SseFrames {
  #waiting: string[] = [];
  #length = 0;
  /** The last bytes that wait: the break between two frames may itself be cut in two. */
  #tail = "";

  get isTooLong(): boolean {
    return this.#length > MAX_FRAME_BYTES;
  }

  /** The data of every frame that is complete now. */
  push(text: string): readonly string[] {
    const seam = this.#tail + text;
    this.#waiting.push(text);
    this.#length += text.length;
    this.#tail = seam.slice(1 - MAX_BREAK);
    if (!BREAK.test(seam)) return [];
    const parts = this.#take().split(BREAK);
    this.#keep(parts.pop() ?? "");
    return parts.flatMap(dataOf);
  }

  /** The data of what was left when the stream ended. */
  end(): readonly string[] {
    return dataOf(this.#take());
  }

  #take(): string {
    const all = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    this.#tail = "";
    return all;
  }

  #keep(rest: string): void {
    this.#waiting.push(rest);
    this.#length = rest.length;
    this.#tail = rest.slice(1 - MAX_BREAK);
  }
}

/** A frame's data. An error may come without being a frame at all, as a plain object or a list of one. */
function dataOf(frame: string): readonly string[] {
  const text = frame.trim();
  if (text.startsWith("{") || text.startsWith("[")) return [text];
  const lines = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length).trim()] : []));
  return lines.length === 0 ? [] : [lines.join("\n")];
}
