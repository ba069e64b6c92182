import { findDeltaTexts } from "../../providers/openai/delta-texts.ts";
import type { FindTexts } from "../../tokens/output-meter.ts";
import { MAX_CONTENT_BYTES } from "./content-log.ts";

/** Collects the text of a streamed response without its frames, which are many times as long. */
export class TextCollector {
  readonly #findTexts: FindTexts;
  readonly #escaped: string[] = [];
  #length = 0;

  constructor(findTexts: FindTexts = findDeltaTexts) {
    this.#findTexts = findTexts;
  }

  /** Takes frames as they are relayed. */
  add(frames: string): void {
    if (this.#length > MAX_CONTENT_BYTES) return;
    this.#findTexts(frames, (escaped) => {
      this.#escaped.push(escaped);
      this.#length += escaped.length;
    });
  }

  /** The text, one character per byte. */
  get text(): string {
    return this.#escaped.map(readEscaped).join("");
  }
}

/** Decodes a JSON string. Returns it unchanged if it is invalid. */
function readEscaped(escaped: string): string {
  try {
    // Escapes may represent characters outside the byte range.
    return Buffer.from(JSON.parse(`"${Buffer.from(escaped, "latin1").toString("utf8")}"`), "utf8").toString("latin1");
  } catch {
    return escaped;
  }
}
