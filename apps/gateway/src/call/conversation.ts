import type { Caller } from "./caller.ts";

/** The response that a call continues, and the identity of the call's own response. */
export interface Conversation {
  /** ID of the call's response. */
  readonly id: string;
  /** ID of the response that the call continues; null for a new conversation. */
  readonly previousId: string | null;
  /** True if the response is stored for later retrieval and continuation. */
  readonly isKept: boolean;
  /** Stores the response; null if it isn't stored. */
  readonly keeper: ResponseWriter | null;
}

/** Stores the response of one call for later calls. */
export interface ResponseWriter {
  /**
   * Stores the complete response, or the last frames of a stream, as bytes. Finishes before the last byte is sent, so
   * that the next call finds the response. Never throws and never takes long, because the client gets the response even
   * if it could not be stored.
   */
  keep(sent: string): Promise<void>;
}

/** Looks up the responses that calls continue. */
export interface Conversations {
  /**
   * Returns the request with its earlier turns, and the storage options for its response. Throws a Failure for an
   * unknown ID.
   */
  recall(asked: ConversationRequest): Promise<RecalledBody>;
}

/** A request body with its earlier turns, and the conversation that it belongs to. */
export interface RecalledBody {
  readonly bytes: Buffer;
  readonly conversation: Conversation;
}

/** A request before validation. */
interface ConversationRequest {
  readonly caller: Caller;
  /** ID of the call's usage event. */
  readonly eventId: string;
  readonly bytes: Buffer;
  /** Maximum size of the request including its earlier turns. */
  readonly limitBytes: number;
}
