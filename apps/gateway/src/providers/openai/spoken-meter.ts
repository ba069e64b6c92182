import type { AudioFormat } from "@tollgate/contracts/speech/speech-request.ts";
import { spokenTokens } from "../../operations/speech/spoken-tokens.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";

/** Counts sound by its bytes, in the tokens that models make of it. */
export class AudioMeter extends OutputMeter {
  readonly #format: AudioFormat;
  #bytes = 0;

  constructor(format: AudioFormat) {
    super(() => {});
    this.#format = format;
  }

  override add(sent: string): void {
    this.#bytes += this.bytesIn(sent);
  }

  /** Of the sound alone. */
  protected bytesIn(sent: string): number {
    return sent.length;
  }

  override get roughTokens(): number {
    return spokenTokens(this.#format, this.#bytes);
  }

  override checkpoint(): number {
    return this.roughTokens;
  }

  override count(): number {
    return this.roughTokens;
  }
}

const AUDIO = /"audio"\s*:\s*"([^"]*)"/g;

/** The same where the sound is written as text in events. */
export class AudioEventMeter extends AudioMeter {
  protected override bytesIn(sent: string): number {
    let bytes = 0;
    // Four characters are three bytes; no more is needed than about how many.
    for (const [, base64 = ""] of sent.matchAll(AUDIO)) bytes += Math.floor((base64.length * 3) / 4);
    return bytes;
  }
}
