import type { Caller } from "../caller.ts";

/** What a call continues, and what may later be continued by its answer. */
export interface Conversation {
  /** What its answer is known by. */
  readonly id: string;
  /** The answer it continues; null when it begins anew. */
  readonly previousId: string | null;
  /** Whether its answer can be continued and read again. */
  readonly isKept: boolean;
  /** Keeps the answer; null where it is not to be kept. */
  readonly keeper: ResponseWriter | null;
}

/** Keeps the answer of one call where later ones find it. */
export interface ResponseWriter {
  /**
   * Takes the complete answer, or the frames that end a stream, as bytes. Done before the last byte leaves, so that the
   * next call finds it; never throws and never takes long, because the answer leaves whatever becomes of this.
   */
  keep(sent: string): Promise<void>;
}

/** Looks up what calls continue. */
export interface Conversations {
  /**
   * The request with what was said before in it, and how its own answer is kept. Throws a Failure when there is nothing
   * under the id it names.
   */
  recall(asked: ConversationRequest): Promise<{ readonly bytes: Buffer; readonly conversation: Conversation }>;
}

/** A request before anything of it is checked. */
export interface ConversationRequest {
  readonly caller: Caller;
  /** What the call is known by in the books. */
  readonly eventId: string;
  readonly bytes: Buffer;
  /** How large the request may be with what was said before in it. */
  readonly limitBytes: number;
}
