import type { Call } from "./call.ts";

/** An answer of an earlier call that asked the same, in the form this one asked for. */
export interface CachedAnswer {
  /** The body, or all frames of a stream, byte for byte, as a string of bytes. */
  readonly text: string;
  readonly contentType: string;
  /** When it was first given. Unix milliseconds. */
  readonly keptAtMs: number;
  /** The deployment that gave it. */
  readonly deploymentId: string;
}

/** The place of one call's answer among those that are kept. */
export interface CacheEntry {
  /** Keeps a complete answer: the body, or the frames of a stream as they were sent. Never throws, never waits. */
  keep(text: string, contentType: string, deploymentId: string): void;
  /** What is longer is not kept, so nobody need collect it. */
  readonly mostBytes: number;
}

/** Answers of earlier calls. */
export interface AnswerCache {
  /**
   * Whether an earlier call asked the same. Null when this call does not use the cache at all, so that most calls pay
   * nothing. Gives the call its entry where its own answer is to be kept.
   */
  find(call: Call): Promise<CachedAnswer | null> | null;
}
