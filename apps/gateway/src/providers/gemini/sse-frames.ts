/** Maximum frame size. It is large, because an image arrives in a single frame. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const BREAK = /\r?\n\r?\n/;
const MAX_BREAK = "\r\n\r\n".length;

/**
 * Splits a stream into the data of its frames. The pieces of an incomplete frame are buffered and joined only once,
 * because a frame with an image arrives in hundreds of pieces.
 */
export class SseFrames {
  #waiting: string[] = [];
  #length = 0;
  /** The last buffered bytes, which are needed because a frame separator may be split across chunks. */
  #tail = "";

  get isTooLong(): boolean {
    return this.#length > MAX_FRAME_BYTES;
  }

  /** Returns the data of every frame that is now complete. */
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

  /** Returns the remaining data after the stream has ended. */
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

/**
 * Returns a frame's data. An error may also arrive as plain JSON without a frame, as an object or a list with one
 * object.
 */
function dataOf(frame: string): readonly string[] {
  const text = frame.trim();
  if (text.startsWith("{") || text.startsWith("[")) return [text];
  const lines = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length).trim()] : []));
  return lines.length === 0 ? [] : [lines.join("\n")];
}
