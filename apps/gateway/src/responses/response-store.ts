import type { Failure } from "@tollgate/contracts/failures.ts";
import type { OwnerContext } from "../assistants/assistant-store.ts";

/** Stored input and output of one response, as parsed JSON. Strings contain characters, not bytes. */
export interface StoredResponse {
  readonly id: string;
  readonly previousId: string | null;
  readonly input: readonly Item[];
  readonly response: Readonly<Record<string, unknown>>;
}

/** Conversation item: message, reasoning, tool call, or tool output. */
export type Item = Readonly<Record<string, unknown>>;

interface NewResponse {
  readonly id: string;
  readonly previousId: string | null;
  readonly itemIds: readonly string[];
  /** `{"input": […], "response": {…}}`. */
  readonly record: string;
}

/** Stores responses. Missing responses and responses of other owners are indistinguishable. */
export interface ResponseStore {
  /** Returns why no response to this input could be stored now, or null if one could be. `DB_TIMEOUT` means unknown. */
  findRefusal(acting: OwnerContext, input: string, maxWaitMs: number): Promise<Failure | null>;
  keep(acting: OwnerContext, answer: NewResponse): Promise<void>;
  find(acting: OwnerContext, id: string): Promise<StoredResponse | null>;
  /**
   * Returns the response and all earlier responses of its conversation, oldest first, or `too_large` if they exceed the
   * limit.
   */
  findConversation(
    acting: OwnerContext,
    id: string,
    mostBytes: number,
  ): Promise<readonly StoredResponse[] | "too_large">;
  /** Returns the responses that produced these items, or `too_large` if they exceed the limit. */
  findByItems(
    acting: OwnerContext,
    itemIds: readonly string[],
    mostBytes: number,
  ): Promise<readonly StoredResponse[] | "too_large">;
  /** Deletes a response. Resolves to whether the response existed. */
  delete(acting: OwnerContext, id: string): Promise<boolean>;
}
