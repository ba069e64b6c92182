import type { OwnerContext } from "../assistants/assistant-store.ts";

/** What was asked and answered under one id. Texts are JSON, as characters. */
export interface StoredResponse {
  readonly id: string;
  readonly previousId: string | null;
  readonly input: readonly Item[];
  readonly response: Readonly<Record<string, unknown>>;
}

/** Something that was said, thought, called or given back. */
export type Item = Readonly<Record<string, unknown>>;

export interface NewResponse {
  readonly id: string;
  readonly previousId: string | null;
  readonly itemIds: readonly string[];
  /** `{"input": […], "response": {…}}`. */
  readonly record: string;
}

/** Where responses are kept. Absent and foreign are the same. */
export interface ResponseStore {
  keep(acting: OwnerContext, answer: NewResponse): Promise<void>;
  find(acting: OwnerContext, id: string): Promise<StoredResponse | null>;
  /** The response and all that it continues, the oldest first, unless they are larger together. */
  findConversation(
    acting: OwnerContext,
    id: string,
    mostBytes: number,
  ): Promise<readonly StoredResponse[] | "too_large">;
  /** The responses that answered one of these items, unless they are larger together. */
  findByItems(
    acting: OwnerContext,
    itemIds: readonly string[],
    mostBytes: number,
  ): Promise<readonly StoredResponse[] | "too_large">;
  /** Whether there was one. */
  delete(acting: OwnerContext, id: string): Promise<boolean>;
}
