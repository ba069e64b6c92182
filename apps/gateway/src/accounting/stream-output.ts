import type { FindTexts, OutputCounter } from "../call/output-counter.ts";
import { findDeltaTexts } from "../wire/delta-texts.ts";
import { MAX_CONTENT_BYTES } from "./accounting.ts";
import type { CallAccount } from "./call-account.ts";
import { hasTokenLimits, mostOutput } from "./usage-of.ts";

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

/** Factor by which a stream may exceed its limit before it is stopped, because tokenizers differ. */
const TOLERANCE = 2;
const SPARE_TOKENS = 256;
/** Bytes until the next token count: a fixed number, plus a number for each remaining token. */
const FIRST_BYTES = 16 * 1024;
const BYTES_PER_TOKEN = 64;

/** Detects a stream that exceeds its output limit. */
export class OutputOverrunGuard {
  readonly #mostTokens: number;
  #lookAtBytes: number;

  /** Creates the guard for a stream; null if the stream has no limit. */
  static of(account: CallAccount): OutputOverrunGuard | null {
    if (!hasTokenLimits(account)) return null;
    const most = mostOutput(account);
    return most === Number.POSITIVE_INFINITY ? null : new OutputOverrunGuard(most);
  }

  private constructor(mostTokens: number) {
    this.#mostTokens = mostTokens * TOLERANCE + SPARE_TOKENS;
    this.#lookAtBytes = FIRST_BYTES + this.#mostTokens * BYTES_PER_TOKEN;
  }

  /** Reports whether the limit is exceeded. Most checks are a single comparison, and few count tokens. */
  isPassedBy(output: OutputCounter): boolean {
    if (output.sentBytes < this.#lookAtBytes) return false;
    const left = this.#mostTokens - output.roughTokens;
    this.#lookAtBytes = output.sentBytes + FIRST_BYTES + left * BYTES_PER_TOKEN;
    return left < 0;
  }
}
