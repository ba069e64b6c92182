import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { GuardrailMode, GuardrailSettings } from "@tollgate/runtime/settings/settings.ts";
import { Blocked, type Subject, type TextCheck, type TextWindow, type Verdict } from "./text-check.ts";

/** Receives the durations and failures of guardrails, for metrics. */
export interface GuardrailObserver {
  /** Called when a guardrail has run or failed. A block is not a failure. */
  guardrailRan(guardrail: string, mode: string, durationMs: number, hasFailed: boolean): void;
}

/** One configured guardrail: its check, and how findings and failures affect a call. */
export class Guard {
  readonly settings: GuardrailSettings;
  /**
   * Value that changes with the configuration, so that cached responses that passed a different revision are checked
   * again.
   */
  readonly revision: string;
  readonly #check: TextCheck;
  readonly #observer: GuardrailObserver | null;

  constructor(settings: GuardrailSettings, check: TextCheck, observer: GuardrailObserver | null) {
    this.settings = settings;
    this.revision = createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
    this.#check = check;
    this.#observer = observer;
  }

  get name(): string {
    return this.settings.name;
  }

  runsIn(mode: GuardrailMode): boolean {
    return this.settings.modes.includes(mode);
  }

  /**
   * Returns the strings to pass on, or the same array if there are no findings. Throws a refusal if a finding blocks
   * the call.
   */
  async look(texts: readonly string[], subject: Subject): Promise<readonly string[]> {
    const startedAtMs = performance.now();
    try {
      const found = this.#check.look(texts, subject);
      const verdict = found instanceof Promise ? await found : found;
      this.#tell(subject, startedAtMs, false);
      if (verdict === null) return texts;
      if (verdict.kind === "mask" && subject.mode !== "during_call") return verdict.texts;
      throw this.#refusal(subject, verdict.kind === "block" ? verdict : MASKED_TOO_LATE);
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.#tell(subject, startedAtMs, true);
      if (this.settings.onError === "allow") return texts;
      throw this.#unchecked(subject, error);
    }
  }

  openWindow(subject: Subject): TextWindow {
    const window = this.#check.openWindow(subject);
    const run = async (step: () => string | Promise<string>, isEnd: boolean): Promise<string> => {
      const startedAtMs = performance.now();
      try {
        const released = step();
        const text = typeof released === "string" ? released : await released;
        // A local check is recorded once per text, a remote check once per request.
        if (isEnd || typeof released !== "string") this.#tell(subject, startedAtMs, false);
        return text;
      } catch (error) {
        if (error instanceof Failure) throw error;
        if (error instanceof Blocked) throw this.#refusal(subject, error.verdict);
        this.#tell(subject, startedAtMs, true);
        if (this.settings.onError === "allow") return window.giveUp();
        throw this.#unchecked(subject, error);
      }
    };
    return {
      push: (text) => run(() => window.push(text), false),
      end: () => run(() => window.end(), true),
      giveUp: () => window.giveUp(),
    };
  }

  #tell({ mode }: Subject, startedAtMs: number, hasFailed: boolean): void {
    this.#observer?.guardrailRan(this.name, mode, performance.now() - startedAtMs, hasFailed);
  }

  #refusal(subject: Subject, { reason, fields }: Extract<Verdict, { kind: "block" }>): Failure {
    const message = `Guardrail '${this.name}' refused this ${subject.side} (${reason}).`;
    return new Failure("guardrail_blocked", message, {
      providerFields: { guardrail_name: this.name, mode: subject.mode, ...fields },
      fix: "Remove the content it names, or ask the gateway operator to change the guardrail.",
    });
  }

  #unchecked(subject: Subject, cause: unknown): Failure {
    const message = `Guardrail '${this.name}' could not check this ${subject.side} and does not allow unchecked content.`;
    return new Failure("guardrail_blocked", message, {
      providerFields: { guardrail_name: this.name, mode: subject.mode, is_unavailable: true },
      fix: "Try again shortly. The gateway operator can allow unchecked content with on_error.",
      cause,
    });
  }
}

/**
 * Refusal for text that must be masked when the upstream call is already in flight, so the request can't be changed.
 */
const MASKED_TOO_LATE = { kind: "block", reason: "contains text that must be masked" } as const;
