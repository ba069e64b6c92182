import type { GuardrailMode } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../call/call.ts";

/** Context of a check: the call, the mode, and the side. Each request and each response has its own context. */
export interface Subject {
  /** Null for a dry run without a call. */
  readonly call: Call | null;
  readonly mode: GuardrailMode;
  readonly side: "request" | "response";
}

/** Result of a check that found text to block or mask. */
export type Verdict =
  | { readonly kind: "block"; readonly reason: string; readonly fields?: Readonly<Record<string, unknown>> }
  | { readonly kind: "mask"; readonly texts: readonly string[] };

/** Checks text. Throws if the check fails. The guardrail's configuration then determines how to proceed. */
export interface TextCheck {
  /** Returns null if all strings pass. */
  look(texts: readonly string[], subject: Subject): Verdict | null | Promise<Verdict | null>;
  /** Opens a window that checks one response text while it grows. */
  openWindow(subject: Subject): TextWindow;
}

/** A growing text whose parts are released after they are checked. Throws `Blocked` if no more text can be released. */
export interface TextWindow {
  /** Adds text and returns the text that can be released now. */
  push(text: string): string | Promise<string>;
  /** Ends the text and returns the remainder. */
  end(): string | Promise<string>;
  /** Returns the held-back text unchanged, for guardrails that allow unchecked text. */
  giveUp(): string;
}

/** Thrown for text that must not be released. */
export class Blocked extends Error {
  readonly verdict: Extract<Verdict, { kind: "block" }>;

  constructor(verdict: Extract<Verdict, { kind: "block" }>) {
    super(verdict.reason);
    this.verdict = verdict;
  }
}
