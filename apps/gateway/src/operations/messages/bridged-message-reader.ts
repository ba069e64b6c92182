import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader } from "../../call/provider.ts";
import { ChatStreamBridge } from "../chat-stream-bridge.ts";
import { EventWriter } from "./event-writer.ts";
import { stopReason } from "./stop-reason.ts";
import { messageIdOf, newToolId, type ShownMessage } from "./to-message.ts";

const DATA = "data: ";

interface ChatDelta {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly thinking_blocks?: readonly Thought[] | null;
  readonly tool_calls?: readonly CallDelta[] | null;
}

interface Thought {
  readonly type: string;
  readonly thinking?: string;
  readonly signature?: string;
}

interface CallDelta {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
}

interface ChatChunk {
  readonly id?: string;
  readonly choices?: readonly {
    readonly index?: number;
    readonly delta?: ChatDelta;
    readonly finish_reason?: string | null;
  }[];
}

/** Reads a chat stream and writes it as Messages API events. */
export class BridgedMessageReader extends ChatStreamBridge {
  readonly #shown: ShownMessage;
  readonly #events = new EventWriter();
  #hasBegun = false;
  /** The index of the most recent tool call. */
  #callIndex = -1;
  /** True if the current thinking block has already been sent as deltas. */
  #hasThought = false;
  #finish: string | null = null;
  #failure: Failure | null = null;
  #hasEnded = false;

  constructor(chat: StreamReader, shown: ShownMessage) {
    super(chat);
    this.#shown = shown;
  }

  override get isDone(): boolean {
    return this.#hasEnded;
  }

  override get failure(): Failure | null {
    return this.#failure ?? this.chat.failure;
  }

  cutFrames(usage: Usage): string {
    return this.#events.end("max_tokens", usage);
  }

  protected override bridge(frames: string): string {
    let written = "";
    // Frames are complete, so their text can be decoded as UTF-8.
    const text = frames === "" ? "" : Buffer.from(frames, "latin1").toString("utf8");
    for (const frame of text.split("\n\n")) {
      if (frame.startsWith(`${DATA}{`)) written += this.#readChunk(JSON.parse(frame.slice(DATA.length)) as ChatChunk);
    }
    if (!this.chat.isDone || this.isDone || this.failure !== null) return written;
    this.#hasEnded = true;
    return written + this.#begin(undefined) + this.#events.end(this.#reason, this.usage);
  }

  #readChunk({ id, choices }: ChatChunk): string {
    let written = this.#begin(id);
    for (const { index, delta, finish_reason: finish } of choices ?? []) {
      // A message has only one choice, so skip all others.
      if (index != null && index !== 0) continue;
      if (delta != null) written += this.#readDelta(delta);
      if (finish != null) this.#finish = finish;
    }
    return written;
  }

  #begin(id: string | undefined): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#events.begin(messageIdOf(id), this.#shown.modelName, this.usage);
  }

  #readDelta(delta: ChatDelta): string {
    let written = this.#think(delta.reasoning_content || delta.reasoning || "");
    for (const thought of delta.thinking_blocks ?? []) written += this.#sign(thought);
    written += this.#say(delta.content || "") + this.#say(delta.refusal || "");
    for (const call of delta.tool_calls ?? []) written += this.#call(call);
    return written;
  }

  #say(text: string): string {
    if (text === "") return "";
    const opened = this.#events.openBlock === "text" ? "" : this.#events.open("text", { text: "" });
    return opened + this.#events.append(text);
  }

  #think(text: string): string {
    if (text === "" || !this.#shown.showsThoughts) return "";
    this.#hasThought = true;
    return this.#openThought() + this.#events.append(text);
  }

  /**
   * Writes a signed thinking block. The upstream resends the whole block when it ends, because the signature isn't
   * known earlier.
   */
  #sign(thought: Thought): string {
    if (!this.#shown.showsThoughts) return "";
    if (thought.type !== "thinking") return this.#events.whole(thought);
    let written = this.#openThought();
    if (!this.#hasThought && thought.thinking) written += this.#events.append(thought.thinking);
    this.#hasThought = false;
    return written + this.#events.sign(thought.signature ?? "") + this.#events.close();
  }

  #openThought(): string {
    return this.#events.openBlock === "thinking" ? "" : this.#events.open("thinking", { thinking: "", signature: "" });
  }

  #call({ index = 0, id, function: called }: CallDelta): string {
    let written = "";
    if (index > this.#callIndex) {
      this.#callIndex = index;
      const name = called?.name ?? "";
      const displayName = this.#shown.toolNames?.get(name) ?? name;
      written = this.#events.open("tool_use", { id: id || newToolId(), name: displayName, input: {} });
    } else if (index < this.#callIndex || this.#events.openBlock !== "tool_use") {
      this.#failure = new Failure("bad_gateway", "The model sent more data for a tool call that was already complete.");
      return "";
    }
    return called?.arguments ? written + this.#events.append(called.arguments) : written;
  }

  get #reason(): string {
    return stopReason(this.#finish, this.#callIndex >= 0);
  }
}
