import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { TopLevelMember } from "@tollgate/domain/json-text.ts";

/** A chat body that was read and checked, and what it asks of the gateway itself. */
export interface ChatBody {
  /** As it came, one character per byte, so that positions are byte positions. */
  readonly text: string;
  readonly members: readonly TopLevelMember[];
  /** Cannot be edited in place: a key is written with escapes, or members must be merged. */
  readonly mustRebuild: boolean;
  /** Strings in it are bytes, not characters: decode before looking at content. */
  readonly request: ChatRequest;
  /** Names taken out before the body is sent. */
  readonly dropped: ReadonlySet<string>;
  readonly extraHeaders: readonly string[];
}
