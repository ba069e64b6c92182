import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputCounter } from "../call/output-counter.ts";
import type { StreamReader } from "../call/provider.ts";

/** Reads a chat stream for another operation and writes it in that operation's format. */
export abstract class ChatStreamBridge implements StreamReader {
  protected readonly chat: StreamReader;

  constructor(chat: StreamReader) {
    this.chat = chat;
  }

  get isDone(): boolean {
    return this.chat.isDone;
  }

  get usage(): Usage | null {
    return this.chat.usage;
  }

  get failure(): Failure | null {
    return this.chat.failure;
  }

  get output(): OutputCounter {
    return this.chat.output;
  }

  push(text: string): string {
    return this.bridge(this.chat.push(text));
  }

  end(): string {
    return this.bridge(this.chat.end());
  }

  /** Converts complete chat frames to the operation's frames. `frames` can be empty. */
  protected abstract bridge(frames: string): string;
}
