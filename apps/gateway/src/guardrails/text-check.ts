import type { GuardrailMode } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../pipeline/call.ts";

/** Context of a check, which consists of the call and the mode. Each request and each response has its own context. */
export interface Subject {
  /** Null for a dry run without a call. */
  readonly call: Call | null;
  readonly mode: GuardrailMode;
  readonly side: "request" | "response";
}

/** Result of a check for texts that cannot pass unchanged. */
export type Verdict =
  | { readonly kind: "block"; readonly reason: string; readonly fields?: Readonly<Record<string, unknown>> }
  | { readonly kind: "mask"; readonly texts: readonly string[] };

/** Checks texts. Throws if the check fails. The guardrail's configuration then determines how to proceed. */
export interface TextCheck {
  /** Returns null if all texts pass. */
  look(texts: readonly string[], subject: Subject): Verdict | null | Promise<Verdict | null>;
  /** Opens a window that checks one response text while it grows. */
  openWindow(subject: Subject): TextWindow;
}

/**
 * A growing text. Only the checked parts of the text are released. Throws `Blocked` if no more text can be released.
 */
export interface TextWindow {
  /** Adds text and returns the text that can be released now. */
  push(text: string): string | Promise<string>;
  /** Ends the text and returns the remainder. */
  end(): string | Promise<string>;
  /** Returns the held-back text unchanged, for guardrails that allow unchecked text. */
  giveUp(): string;
}

/** Thrown for a text that must not be released. */
export class Blocked extends Error {
  readonly verdict: Extract<Verdict, { kind: "block" }>;

  constructor(verdict: Extract<Verdict, { kind: "block" }>) {
    super(verdict.reason);
    this.verdict = verdict;
  }
}
