import type { GuardrailMode } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../pipeline/call.ts";

/** What is looked at: of which call, and when. One for each request and each answer. */
export interface Subject {
  /** Null when nobody calls: a dry run. */
  readonly call: Call | null;
  readonly mode: GuardrailMode;
  readonly side: "request" | "response";
}

/** What a check says of texts it does not let pass as they are. */
export type Verdict =
  | { readonly kind: "block"; readonly reason: string; readonly fields?: Readonly<Record<string, unknown>> }
  | { readonly kind: "mask"; readonly texts: readonly string[] };

/** Looks at texts. Throws when it cannot tell; whoever configured it says what that means. */
export interface TextCheck {
  /** Null when nothing is wrong with any of them. */
  look(texts: readonly string[], subject: Subject): Verdict | null | Promise<Verdict | null>;
  /** Looks at one text of an answer while it grows. */
  openWindow(subject: Subject): TextWindow;
}

/** A growing text: what leaves it has been looked at. Throws `Blocked` when nothing more may leave. */
export interface TextWindow {
  /** Takes more of the text and gives what may leave now. */
  push(text: string): string | Promise<string>;
  /** The text is complete: gives the rest. */
  end(): string | Promise<string>;
  /** What is kept back, as it came: for those who let pass what could not be looked at. */
  giveUp(): string;
}

/** A text that must not leave. */
export class Blocked extends Error {
  readonly verdict: Extract<Verdict, { kind: "block" }>;

  constructor(verdict: Extract<Verdict, { kind: "block" }>) {
    super(verdict.reason);
    this.verdict = verdict;
  }
}
