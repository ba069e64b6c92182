import { findDeltaTexts } from "../../providers/openai/delta-texts.ts";
import type { FindTexts } from "../../tokens/output-meter.ts";
import { MAX_CONTENT_BYTES } from "./content-log.ts";

/** Collects the text of a streamed answer without the frames it comes in, which are many times as long. */
export class TextCollector {
  readonly #findTexts: FindTexts;
  readonly #escaped: string[] = [];
  #length = 0;

  constructor(findTexts: FindTexts = findDeltaTexts) {
    this.#findTexts = findTexts;
  }

  /** Takes frames as they are sent on. */
  add(frames: string): void {
    if (this.#length > MAX_CONTENT_BYTES) return;
    this.#findTexts(frames, (escaped) => {
      this.#escaped.push(escaped);
      this.#length += escaped.length;
    });
  }

  /** The text, one character for each byte. */
  get text(): string {
    return this.#escaped.map(readEscaped).join("");
  }
}

/** What a string of JSON says; as it stands when it is not one. */
function readEscaped(escaped: string): string {
  try {
    // Escapes may name characters that have no single byte.
    return Buffer.from(JSON.parse(`"${Buffer.from(escaped, "latin1").toString("utf8")}"`), "utf8").toString("latin1");
  } catch {
    return escaped;
  }
}
