const MAX_REASON_LENGTH = 300;

/** A participant's failure in a round. The run can continue without the participant. */
export class CallFailure extends Error {
  /** A participant's code, or the coordinator's: `UNREACHABLE`, `LATE`, `TIMEOUT`, `GARBAGE`, or `NOT_REGISTERED`. */
  readonly code: string;
  readonly attempts: number;

  constructor(code: string, reason: string, attempts: number) {
    super(sanitizeText(reason, MAX_REASON_LENGTH));
    this.name = "CallFailure";
    this.code = code;
    this.attempts = attempts;
  }
}

/** Makes untrusted text safe for a terminal, a journal, or a page: one line, no control characters, limited length. */
export function sanitizeText(text: string, maxLength: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
