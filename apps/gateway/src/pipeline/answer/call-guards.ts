import type { ReadAnswer } from "../../providers/provider.ts";
import type { Call } from "../call.ts";

/** The guardrails of one call. Whatever blocks throws a Failure, `guardrail_blocked`. */
export interface CallGuards {
  /** Of those that look at this call, sorted. */
  readonly names: readonly string[];
  /** What tells answers that passed them from answers that passed others, sorted. */
  readonly revisions: readonly string[];
  /** Before anything is sent: may put another body in the place of the call's. Null when nothing runs then. */
  checkRequest(call: Call): Promise<void> | null;
  /** Starts what runs beside the upstream call. No answer passes before it has come to an end. */
  beginBeside(call: Call): void;
  /** Whether answers wait for anything, or are looked at. */
  readonly checksAnswers: boolean;
  /** A complete answer in the words of the operation; gives the bytes that are sent in its place. */
  checkAnswer(call: Call, read: ReadAnswer): Promise<string>;
  /** For a stream, frame by frame; null when streams are not looked at. */
  watchStream(call: Call): StreamGuard | null;
  /** Whether what is kept of a call is looked at, apart from what is sent. */
  readonly cleansLog: boolean;
  /** What may be kept of a request and its answer, as bytes; null when nothing may. */
  cleanForLog(call: Call, request: string, answer: string): Promise<{ request: string; answer: string } | null>;
}

/** Looks at a stream in windows: what leaves has been looked at. */
export interface StreamGuard {
  /** Takes frames for the client and gives those that may leave now. */
  push(frames: string): Promise<string>;
  /** The stream is complete: gives what was still kept back, too. */
  end(frames: string): Promise<string>;
}

/** Knows which guardrails a call has. */
export interface Guardrails {
  /** Null when none looks at this call, so that most calls pay nothing. Throws for one that does not exist. */
  guardsOf(call: Call): CallGuards | null;
}
