import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { CallAccount } from "../account/call-account.ts";
import { hasTokenLimits, mostOutput } from "../account/usage-of.ts";

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
  isPassedBy(output: OutputMeter): boolean {
    if (output.sentBytes < this.#lookAtBytes) return false;
    const left = this.#mostTokens - output.roughTokens;
    this.#lookAtBytes = output.sentBytes + FIRST_BYTES + left * BYTES_PER_TOKEN;
    return left < 0;
  }
}
