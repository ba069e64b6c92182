import { sanitizeText } from "../participants/call-failure.ts";
import type { Phase } from "../run-events.ts";

const MAX_LENGTH = 2000;

/** A round that cannot be completed. It is retried once as a whole; then an operator must decide. */
export class RoundFailure extends Error {
  readonly phase: Phase;

  constructor(phase: Phase, reason: string, cause?: unknown) {
    super(sanitizeText(reason, MAX_LENGTH), { cause });
    this.name = "RoundFailure";
    this.phase = phase;
  }
}
