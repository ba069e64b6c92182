import type { Call } from "./call.ts";

/** The guardrails of one call. Whatever blocks throws a Failure, `guardrail_blocked`. */
export interface CallGuards {
  /** Before anything is sent: may put another body in the place of the call's. */
  checkRequest(call: Call): Promise<void>;
  /** Beside the upstream call: rejects when the call must not be answered. Null when nothing runs then. */
  besideCall(call: Call): Promise<void> | null;
  /** Whether complete answers are looked at. */
  readonly checksAnswers: boolean;
  /** A complete answer, as bytes, in the words of the operation; gives what is sent in its place. */
  checkAnswer(call: Call, text: string): Promise<string>;
  /** For a stream, frame by frame; null when streams are not looked at. */
  watchStream(call: Call): StreamGuard | null;
}

/** Looks at a stream in windows: what leaves has been looked at. */
export interface StreamGuard {
  /** Takes frames for the client and gives those that may leave, at once or later. */
  push(frames: string): string | Promise<string>;
  /** The stream is complete: gives what was still kept back. */
  end(frames: string): string | Promise<string>;
}

/** Knows which guardrails a call has. */
export interface Guardrails {
  /** Null when none looks at this call, so that most calls pay nothing. Throws for one that does not exist. */
  guardsOf(call: Call): CallGuards | null;
}
