import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { CallAccount } from "../account/call-account.ts";
import { hasTokenLimits, mostOutput } from "../account/usage-of.ts";

/** Tokenizers differ, so a model is only stopped when it says far more than it was allowed. */
const TOLERANCE = 2;
const SPARE_TOKENS = 256;
/** Nothing is counted before so much was sent, nor again before as much for each token that is left. */
const FIRST_BYTES = 16 * 1024;
const BYTES_PER_TOKEN = 64;

/** Notices when a stream goes on beyond anything it was allowed to say. */
export class OutputOverrunGuard {
  readonly #mostTokens: number;
  #lookAtBytes: number;

  /** The limit of a stream; null where there is none. */
  static of(account: CallAccount): OutputOverrunGuard | null {
    if (!hasTokenLimits(account)) return null;
    const most = mostOutput(account);
    return most === Number.POSITIVE_INFINITY ? null : new OutputOverrunGuard(most);
  }

  private constructor(mostTokens: number) {
    this.#mostTokens = mostTokens * TOLERANCE + SPARE_TOKENS;
    this.#lookAtBytes = FIRST_BYTES + this.#mostTokens * BYTES_PER_TOKEN;
  }

  /** Whether it is reached. Costs a comparison, and a count from time to time. */
  isPassedBy(output: OutputMeter): boolean {
    if (output.sentBytes < this.#lookAtBytes) return false;
    const left = this.#mostTokens - output.roughTokens;
    this.#lookAtBytes = output.sentBytes + FIRST_BYTES + left * BYTES_PER_TOKEN;
    return left < 0;
  }
}
