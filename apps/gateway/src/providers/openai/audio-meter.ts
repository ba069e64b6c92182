import type { AudioFormat } from "@tollgate/contracts/speech/speech-request.ts";
import { spokenTokens } from "../../operations/speech/speech-tokens.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";

/** Estimates audio tokens from the number of audio bytes. */
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

  /** Returns the number of audio bytes in a sent piece. */
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

/** Estimates audio tokens from base64-encoded audio in events. */
export class AudioEventMeter extends AudioMeter {
  protected override bytesIn(sent: string): number {
    let bytes = 0;
    // Four base64 characters encode three bytes. Padding is ignored, because an approximation is enough.
    for (const [, base64 = ""] of sent.matchAll(AUDIO)) bytes += Math.floor((base64.length * 3) / 4);
    return bytes;
  }
}
