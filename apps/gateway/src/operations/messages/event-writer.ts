import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { messageUsage } from "./message-usage.ts";

type BlockKind = "text" | "thinking" | "tool_use";

const deltas: Readonly<Record<BlockKind, readonly [type: string, member: string]>> = {
  text: ["text_delta", "text"],
  thinking: ["thinking_delta", "thinking"],
  tool_use: ["input_json_delta", "partial_json"],
};

/**
 * Writes the events of one streamed message as bytes. Only one block is open at a time. Opening a block closes the
 * previous one.
 */
export class EventWriter {
  #index = -1;
  #open: BlockKind | null = null;

  get openBlock(): BlockKind | null {
    return this.#open;
  }

  begin(id: string, modelName: string, usage: Usage | null): string {
    const message = {
      id,
      type: "message",
      role: "assistant",
      model: modelName,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messageUsage(usage),
    };
    return event("message_start", { message }) + event("ping", {});
  }

  open(kind: BlockKind, block: object): string {
    const closed = this.close();
    this.#index += 1;
    this.#open = kind;
    return closed + event("content_block_start", { index: this.#index, content_block: { type: kind, ...block } });
  }

  /** Returns a delta for the open block. */
  append(text: string): string {
    const [type, member] = deltas[this.#open as BlockKind];
    return event("content_block_delta", { index: this.#index, delta: { type, [member]: text } });
  }

  sign(signature: string): string {
    return event("content_block_delta", { index: this.#index, delta: { type: "signature_delta", signature } });
  }

  /** Returns the events for a block that is sent in one piece. */
  whole(block: object): string {
    const closed = this.close();
    this.#index += 1;
    const { index } = { index: this.#index };
    return (
      closed + event("content_block_start", { index, content_block: block }) + event("content_block_stop", { index })
    );
  }

  close(): string {
    if (this.#open === null) return "";
    this.#open = null;
    return event("content_block_stop", { index: this.#index });
  }

  end(reason: string, usage: Usage | null): string {
    const delta = { stop_reason: reason, stop_sequence: null };
    return this.close() + event("message_delta", { delta, usage: messageUsage(usage) }) + event("message_stop", {});
  }
}

function event(type: string, members: object): string {
  return `event: ${type}\ndata: ${toJsonBytes({ type, ...members })}\n\n`;
}
