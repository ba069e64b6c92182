import { Failure } from "@tollgate/contracts/failures.ts";
import { type Content, cacheMark, markLast, toBlocks } from "./content-blocks.ts";
import type { Block, Turn } from "./wire.ts";

/** A message as clients send it, with only the fields that the gateway reads. */
export interface Message extends Readonly<Record<string, unknown>> {
  readonly role?: string;
  readonly content?: Content;
  readonly refusal?: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly function_call?: FunctionCall | null;
  readonly thinking_blocks?: readonly Block[] | null;
}

interface ToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: FunctionCall;
}

interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

/** A conversation in the Anthropic format. System blocks are separate, and roles alternate. */
interface Prompt {
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
}

/**
 * Translates a conversation. Consecutive messages with the same role become one turn. `keepsLong` is true if one-hour
 * caches have a price.
 */
export function toPrompt(messages: readonly Message[], keepsLong = false): Prompt {
  const system: Block[] = [];
  const turns = new Turns();
  /** ID of the last legacy function call. Legacy calls have no ID, so the ID is derived from the call's position. */
  let lastFunctionId: string | null = null;
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    const mark = cacheMark(message, at, keepsLong);
    switch (message.role) {
      case "system":
      case "developer":
        system.push(...markLast(toBlocks(message.content, at, keepsLong), mark));
        break;
      case "assistant":
        if (message.function_call != null) lastFunctionId = `call_${index}`;
        turns.say("assistant", markLast(assistantBlocks(message, index, keepsLong), mark));
        break;
      case "tool":
        turns.answer({ ...toolResult(toolId(String(message.tool_call_id)), message.content, at, keepsLong), ...mark });
        break;
      case "function":
        if (lastFunctionId === null) throw unasked(`${at}.name`);
        turns.answer({ ...toolResult(lastFunctionId, message.content, at, keepsLong), ...mark });
        break;
      default:
        turns.say("user", markLast(toBlocks(message.content, at, keepsLong), mark));
    }
  }
  return { system, messages: turns.end() };
}

class Turns {
  readonly #turns: { role: Turn["role"]; content: Block[] }[] = [];

  say(role: Turn["role"], blocks: readonly Block[]): void {
    if (blocks.length > 0) this.#of(role).push(...blocks);
  }

  /** Inserts a tool result before all other content in its turn, because the provider requires that order. */
  answer(result: Block): void {
    const content = this.#of("user");
    const answered = content.findIndex(({ type }) => type !== "tool_result");
    content.splice(answered < 0 ? content.length : answered, 0, result);
  }

  /**
   * Ends the conversation. Trims the last assistant text, because the provider rejects a prefill that ends with
   * whitespace.
   */
  end(): readonly Turn[] {
    const last = this.#turns.at(-1);
    const text = last?.role === "assistant" ? last.content.at(-1) : undefined;
    if (last === undefined || text?.type !== "text") return this.#turns;
    const trimmed = String(text.text).trimEnd();
    last.content.splice(-1, 1, ...(trimmed === "" ? [] : [{ ...text, text: trimmed }]));
    if (last.content.length === 0) this.#turns.pop();
    return this.#turns;
  }

  #of(role: Turn["role"]): Block[] {
    const last = this.#turns.at(-1);
    if (last?.role === role) return last.content;
    const content: Block[] = [];
    this.#turns.push({ role, content });
    return content;
  }
}

/**
 * Returns the blocks of an assistant message. Thinking blocks come first, because the provider verifies them, followed
 * by text and then by tool calls.
 */
function assistantBlocks(message: Message, index: number, keepsLong: boolean): Block[] {
  const at = `messages.${index}`;
  const spoken = toBlocks(message.content ?? message.refusal, at, keepsLong);
  const calls = (message.tool_calls ?? []).map((call, position) => toolUse(call, `${at}.tool_calls.${position}`));
  if (message.function_call != null) {
    const { name } = message.function_call;
    calls.push({
      type: "tool_use",
      id: `call_${index}`,
      name,
      input: inputOf(message.function_call, `${at}.function_call`),
    });
  }
  return [...(message.thinking_blocks ?? []).flatMap(toThought), ...spoken, ...calls];
}

/** Drops thinking blocks without a signature, because the provider would reject them. */
function toThought(block: Block): Block[] {
  if (block.type === "redacted_thinking") return [{ type: block.type, data: block.data }];
  if (block.type !== "thinking" || typeof block.signature !== "string" || block.signature === "") return [];
  return [{ type: block.type, thinking: block.thinking ?? "", signature: block.signature }];
}

function toolUse({ id, function: called }: ToolCall, at: string): Block {
  if (called === undefined) {
    throw new Failure("unsupported_tool", "This model supports only tools with JSON arguments.", { param: at });
  }
  return { type: "tool_use", id: toolId(id), name: called.name, input: inputOf(called, `${at}.function`) };
}

/** Parses arguments as an object. Empty text means a call without arguments. */
function inputOf({ arguments: json }: FunctionCall, at: string): unknown {
  if (json.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Invalid JSON causes the same error below as arguments that aren't an object.
  }
  throw new Failure("invalid_request", "The arguments of a tool call must be a JSON object.", {
    param: `${at}.arguments`,
  });
}

function toolResult(id: string, content: Content, at: string, keepsLong: boolean): Block {
  const blocks = typeof content === "string" ? content : toBlocks(content, at, keepsLong);
  return { type: "tool_result", tool_use_id: id, ...(blocks.length > 0 && { content: blocks }) };
}

/** Replaces characters in other providers' IDs that this provider doesn't accept. */
function toolId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function unasked(param: string): Failure {
  return new Failure("invalid_request", "A function message must answer a preceding function call.", { param });
}
