const MAX_REASON_LENGTH = 300;

/** Codes of failures that the coordinator finds itself, beside those a participant answers with. */
export type OwnCode = "UNREACHABLE" | "LATE" | "TIMEOUT" | "GARBAGE" | "NOT_REGISTERED";

/** A participant did not do its part of a round. Nothing is wrong with the coordinator. */
export class CallFailure extends Error {
  readonly code: string;
  readonly attempts: number;

  constructor(code: string, reason: string, attempts: number) {
    super(sanitizeText(reason, MAX_REASON_LENGTH));
    this.name = "CallFailure";
    this.code = code;
    this.attempts = attempts;
  }
}

/** Text of a far side as it may stand in a terminal, a journal or a page: one line, no control characters, not long. */
export function sanitizeText(text: string, maxLength: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
