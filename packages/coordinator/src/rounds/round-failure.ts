import { sanitizeText } from "../participants/call-failure.ts";
import type { Phase } from "../run-events.ts";

const MAX_LENGTH = 2000;

/** A round cannot be completed as it stands. It is tried once more as a whole, then a person decides. */
export class RoundFailure extends Error {
  readonly phase: Phase;

  constructor(phase: Phase, reason: string, cause?: unknown) {
    super(sanitizeText(reason, MAX_LENGTH), { cause });
    this.name = "RoundFailure";
    this.phase = phase;
  }
}
