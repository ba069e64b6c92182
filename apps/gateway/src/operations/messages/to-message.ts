import { randomBytes } from "node:crypto";
import type { ReadAnswer } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { messageUsage } from "./message-usage.ts";
import { stopReason } from "./stop-reason.ts";

/** The parts of a call that determine how its response is written. */
export interface ShownMessage {
  readonly modelName: string;
  /** False if the client didn't request thinking. Such clients treat the first block as the response. */
  readonly showsThoughts: boolean;
  readonly toolNames: ReadonlyMap<string, string> | null;
}

interface ChatMessage {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly thinking_blocks?: readonly object[] | null;
  readonly tool_calls?: readonly ToolCall[] | null;
}

interface ToolCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

interface ChatAnswer {
  readonly id?: unknown;
  readonly choices?: readonly { readonly message?: ChatMessage; readonly finish_reason?: string | null }[];
}

/** Converts a complete chat response to a message. */
export function toMessage(read: ReadAnswer, shown: ShownMessage): ReadAnswer {
  // The response is decoded as UTF-8, because escaped characters have no single-byte form.
  const answer = JSON.parse(Buffer.from(read.text, "latin1").toString("utf8")) as ChatAnswer;
  const [choice] = answer.choices ?? [];
  const calls = choice?.message?.tool_calls ?? [];
  const message = {
    id: messageIdOf(answer.id),
    type: "message",
    role: "assistant",
    model: shown.modelName,
    content: choice?.message === undefined ? [] : blocksOf(choice.message, calls, shown),
    stop_reason: stopReason(choice?.finish_reason, calls.length > 0),
    stop_sequence: null,
    usage: messageUsage(read.usage),
  };
  return { text: toJsonBytes(message), usage: read.usage };
}

/** Converts a chat ID to a message ID. */
export function messageIdOf(chatId: unknown): string {
  if (typeof chatId !== "string" || chatId === "") return `msg_${randomBytes(12).toString("hex")}`;
  return chatId.startsWith("msg_") ? chatId : `msg_${chatId.replace(/^chatcmpl-/, "")}`;
}

function blocksOf(message: ChatMessage, calls: readonly ToolCall[], shown: ShownMessage): object[] {
  const text = textOf(message.content) + textOf(message.refusal);
  return [
    ...(shown.showsThoughts ? thoughtsOf(message) : []),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map((call) => toolUse(call, shown)),
  ];
}

/**
 * Returns the thinking blocks. Signed blocks are unchanged, because clients must send them back. All other blocks have
 * an empty signature.
 */
function thoughtsOf(message: ChatMessage): readonly object[] {
  if (message.thinking_blocks != null && message.thinking_blocks.length > 0) return message.thinking_blocks;
  const thinking = textOf(message.reasoning_content) || textOf(message.reasoning);
  return thinking === "" ? [] : [{ type: "thinking", thinking, signature: "" }];
}

function toolUse({ id, function: called }: ToolCall, { toolNames }: ShownMessage): object {
  const name = textOf(called?.name);
  return {
    type: "tool_use",
    id: textOf(id) || newToolId(),
    name: toolNames?.get(name) ?? name,
    input: inputOf(textOf(called?.arguments)),
  };
}

/** Creates an ID for a tool call that the upstream sent without one. */
export function newToolId(): string {
  return `toolu_${randomBytes(12).toString("hex")}`;
}

/** Parses arguments as JSON. Wraps invalid JSON in an object, so that the client can reject it. */
function inputOf(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json);
  } catch {
    return { invalid_json: json };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
