import type { ReadAnswer } from "../../providers/provider.ts";
import type { Call } from "../call.ts";

/**
 * The guardrails for one call. If a guardrail blocks the call, its check throws a Failure with code
 * `guardrail_blocked`.
 */
export interface CallGuards {
  /** Names of the guardrails that apply to this call, sorted. */
  readonly names: readonly string[];
  /** Revisions of the guardrails, sorted. They distinguish responses that were checked by different guardrails. */
  readonly revisions: readonly string[];
  /** Checks the request before it is sent, and may replace the call's body. Null if no guardrail runs at this stage. */
  checkRequest(call: Call): Promise<void> | null;
  /** Starts the guardrails that run in parallel with the upstream call. No response is sent before they finish. */
  beginBeside(call: Call): void;
  /** True if responses wait for guardrails or are checked by them. */
  readonly checksAnswers: boolean;
  /** Checks a complete response in the operation's format. Returns the bytes to send instead. */
  checkAnswer(call: Call, read: ReadAnswer): Promise<string>;
  /** Creates the guard for a stream; null if streams are not checked. */
  watchStream(call: Call): StreamGuard | null;
  /** True if logged content is checked separately from sent content. */
  readonly cleansLog: boolean;
  /** Returns the request and response for the log, as bytes, or null if they must not be logged. */
  cleanForLog(call: Call, request: string, answer: string): Promise<{ request: string; answer: string } | null>;
}

/** Checks a stream in windows. Frames are sent only after they have been checked. */
export interface StreamGuard {
  /** Takes frames for the client and returns the frames that may be sent now. */
  push(frames: string): Promise<string>;
  /** Takes the last frames and returns all frames that were held back. */
  end(frames: string): Promise<string>;
}

/** Resolves the guardrails of a call. */
export interface Guardrails {
  /** Returns null if no guardrail applies, so that most calls have no overhead. Throws for an unknown guardrail. */
  guardsOf(call: Call): CallGuards | null;
}
