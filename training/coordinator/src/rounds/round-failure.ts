import { sanitizeText } from "../participants/call-failure.ts";
import type { Phase } from "../run-events.ts";

const MAX_LENGTH = 2000;

/** Thrown if a round cannot be completed. The whole round is retried once. After that, an operator must decide. */
export class RoundFailure extends Error {
  readonly phase: Phase;

  constructor(phase: Phase, reason: string, cause?: unknown) {
    super(sanitizeText(reason, MAX_LENGTH), { cause });
    this.name = "RoundFailure";
    this.phase = phase;
  }
}
