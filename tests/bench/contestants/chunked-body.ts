const lineFeed = 10;
const carriageReturn = 13;

/** Follows the framing of a chunked body, to find its end. */
export class ChunkedBody {
  #part: "size" | "extension" | "data" | "trailer" = "size";
  #size = 0;
  /** Bytes left of the chunk, with the line end after it. */
  #left = 0;
  #lineLength = 0;

  /** Reads the next bytes of the body. Returns the position after its end, or -1 if the end is not among them. */
  read(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; ) {
      if (this.#part === "data") {
        const step = Math.min(this.#left, bytes.length - at);
        at += step;
        this.#left -= step;
        if (this.#left === 0) this.#beginSize();
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      if (this.#part === "trailer") {
        if (byte === lineFeed && this.#lineLength === 0) return at;
        if (byte !== carriageReturn) this.#lineLength = byte === lineFeed ? 0 : this.#lineLength + 1;
      } else if (byte === lineFeed) {
        this.#endSize();
      } else if (this.#part === "size") {
        this.#readDigit(byte);
      }
    }
    return -1;
  }

  #beginSize(): void {
    this.#part = "size";
    this.#size = 0;
  }

  #readDigit(byte: number): void {
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) this.#part = "extension";
    else this.#size = this.#size * 16 + digit;
  }

  #endSize(): void {
    this.#part = this.#size === 0 ? "trailer" : "data";
    this.#left = this.#size + 2;
    this.#lineLength = 0;
  }
}
