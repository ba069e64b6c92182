import { Failure } from "@tollgate/contracts/failures.ts";
import { customArguments } from "./custom-tools.ts";
import { readCarried } from "./encoded-reasoning.ts";
import { textOf, toolText, toUserContent } from "./to-content.ts";
import { chatNameOf } from "./tool-names.ts";

/** An input item, with only the fields that the gateway reads. */
export interface InputItem extends Readonly<Record<string, unknown>> {
  readonly type?: string | null;
  readonly role?: unknown;
  readonly content?: unknown;
}

type ChatMessage = Readonly<Record<string, unknown>>;

/** Converts instructions and items to chat messages. Consecutive assistant items become one message. */
export function toMessages(instructions: string | null, input: string | readonly InputItem[]): readonly ChatMessage[] {
  const messages = new Messages();
  if (instructions !== null && instructions !== "") messages.command(instructions);
  if (typeof input === "string") messages.say({ role: "user", content: input });
  else for (const [index, item] of input.entries()) addItem(messages, item, `input.${index}`);
  return messages.end();
}

function addItem(messages: Messages, item: InputItem, at: string): void {
  switch (item.type ?? "message") {
    case "message":
      return addMessage(messages, item, at);
    case "reasoning":
      return messages.think(item);
    case "function_call":
      return messages.call(item, textOf(item.arguments));
    case "custom_tool_call":
      return messages.call(item, customArguments(textOf(item.input)));
    case "function_call_output":
    case "custom_tool_call_output":
      return messages.giveBack(item.call_id, item.output, at);
    default:
      throw new Failure("invalid_request", "The model does not support items of this type.", {
        param: `${at}.type`,
        fix: "Remove the item, or choose a model served by OpenAI.",
      });
  }
}

function addMessage(messages: Messages, item: InputItem, at: string): void {
  switch (item.role) {
    case "system":
    case "developer":
      return messages.command(textOf(item.content));
    case "assistant":
      return messages.answer(item);
    case "user":
      return messages.say({ role: "user", content: toUserContent(item.content, `${at}.content`) });
    default:
      throw new Failure("invalid_request", "A message's role must be user, assistant, system, or developer.", {
        param: `${at}.role`,
      });
  }
}

/** The assistant's text, reasoning, and tool calls in one turn. */
interface Turn {
  content: string | null;
  refusal: string | null;
  thoughts: string;
  readonly blocks: object[];
  readonly calls: object[];
  extra: unknown;
}

class Messages {
  readonly #messages: ChatMessage[] = [];
  #turn: Turn | null = null;
  /**
   * Images from tool results. A tool message can't contain images, so they are sent in a user message after all tool
   * results.
   */
  #shown: object[] = [];

  /** Merges the system messages at the start into one, because some models accept only one. */
  command(text: string): void {
    this.#close();
    const [first] = this.#messages;
    if (this.#messages.length === 1 && first?.role === "system") {
      this.#messages[0] = { role: "system", content: `${String(first.content)}\n\n${text}` };
    } else this.#messages.push({ role: "system", content: text });
  }

  say(message: ChatMessage): void {
    this.#close();
    this.#messages.push(message);
  }

  answer({ content, extra_content: extra }: InputItem): void {
    const turn = this.#open((open) => open.content === null && open.refusal === null && open.calls.length === 0);
    const refusals = Array.isArray(content)
      ? content.filter((part: { type?: unknown } | null) => part?.type === "refusal")
      : [];
    if (refusals.length > 0)
      turn.refusal = refusals.map((part: { refusal?: unknown }) => textOf(part.refusal)).join("");
    else turn.content = textOf(content);
    turn.extra ??= extra;
  }

  think({ summary, content, encrypted_content: encrypted }: InputItem): void {
    const turn = this.#open((open) => open.content === null && open.calls.length === 0);
    turn.thoughts += textOf(Array.isArray(content) && content.length > 0 ? content : summary);
    turn.blocks.push(...readCarried(encrypted));
  }

  call({ call_id: id, name, namespace, extra_content: extra }: InputItem, json: string): void {
    const called = { name: chatNameOf(String(name), namespace), arguments: json };
    const signed = extra != null && { extra_content: extra };
    this.#open(() => true).calls.push({ id, type: "function", function: called, ...signed });
  }

  giveBack(id: unknown, output: unknown, at: string): void {
    this.#closeTurn();
    const { text, pictures } = toolText(output, `${at}.output`);
    this.#messages.push({ role: "tool", tool_call_id: id, content: text });
    this.#shown.push(...pictures);
  }

  end(): readonly ChatMessage[] {
    this.#close();
    return this.#messages;
  }

  /** Returns the current turn if it can be extended, otherwise a new one. */
  #open(fits: (turn: Turn) => boolean): Turn {
    if (this.#shown.length > 0 || (this.#turn !== null && !fits(this.#turn))) this.#close();
    this.#turn ??= { content: null, refusal: null, thoughts: "", blocks: [], calls: [], extra: null };
    return this.#turn;
  }

  #close(): void {
    this.#closeTurn();
    if (this.#shown.length === 0) return;
    this.#messages.push({ role: "user", content: this.#shown });
    this.#shown = [];
  }

  /** Ends the current turn. Reasoning without any output is dropped. */
  #closeTurn(): void {
    const turn = this.#turn;
    this.#turn = null;
    if (turn === null || (turn.content === null && turn.refusal === null && turn.calls.length === 0)) return;
    const { content, refusal, thoughts, blocks, calls, extra } = turn;
    this.#messages.push({
      role: "assistant",
      content,
      ...(refusal !== null && { refusal }),
      ...(calls.length > 0 && { tool_calls: calls }),
      // Models that reason between tool calls need their earlier reasoning. In all other cases, earlier reasoning is
      // dropped.
      ...(calls.length > 0 && thoughts !== "" && { reasoning_content: thoughts }),
      ...(blocks.length > 0 && { thinking_blocks: blocks }),
      ...(extra != null && { extra_content: extra }),
    });
  }
}
