import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ManagedStore } from "../../cache/answer-store.ts";
import type { CallBody } from "../body/call-body.ts";
import type { Call } from "../call.ts";

/** An answer of an earlier call that asked the same, in the form this one asked for. */
export interface CachedAnswer {
  /** The body, or all frames of a stream, byte for byte, as a string of bytes. */
  readonly text: string;
  readonly contentType: string;
  /** The deployment that gave it. */
  readonly deploymentId: string;
}

/** A complete answer as it was sent: the body, or all frames of a stream. */
export interface SentAnswer extends CachedAnswer {
  readonly usage: Usage;
}

/** The place of one call's answer among those that are kept. */
export interface CacheEntry {
  /** What the answer's head says of it, as header lines. */
  readonly missLines: string;
  readonly hitLines: string;
  /** What is longer is not kept, so nobody need collect it. */
  readonly mostBytes: number;
  /** The request before a part of it was found; null where nothing was. Another group is asked for all of it. */
  readonly wholeBody: CallBody | null;
  /**
   * An answer to a part of what was asked, with the rest of it that was kept before; most are sent as they are. Throws a
   * Failure for one that is not an answer to that part.
   */
  complete(text: string): string;
  /** Keeps a complete answer for calls that ask the same. Never throws, never waits. */
  keep(answer: SentAnswer): void;
}

/** Answers of earlier calls. */
export interface AnswerCache {
  /**
   * Whether an earlier call asked the same. Null when this call looks for none, so that most calls pay nothing. Gives the
   * call its entry where the cache takes part.
   */
  find(call: Call): Promise<CachedAnswer | null> | null;
  /** Where the answers are, for whoever manages them; null while none are kept. */
  store(): ManagedStore | null;
}
