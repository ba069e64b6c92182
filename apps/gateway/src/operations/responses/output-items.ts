import { customInput } from "./custom-tools.ts";
import { encodeReasoning } from "./encoded-reasoning.ts";
import type { NamedTool, ToolNames } from "./tool-names.ts";

/** A complete chat message, with only the fields that the gateway reads. */
export interface ChatAnswerMessage {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly thinking_blocks?: readonly object[] | null;
  readonly annotations?: readonly object[] | null;
  readonly tool_calls?: readonly ChatToolCall[] | null;
  readonly extra_content?: unknown;
}

export interface ChatToolCall {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly extra_content?: unknown;
}

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/**
 * Creates the item IDs for one response. Each ID is built from the item's kind, the response ID, and the item's
 * position.
 */
export class ItemIds {
  readonly #suffix: string;
  #count = 0;

  constructor(responseId: string) {
    this.#suffix = responseId.slice("resp_".length);
  }

  next(prefix: "msg" | "rs" | "fc" | "ctc"): string {
    const place = this.#count.toString(16).padStart(4, "0");
    this.#count += 1;
    return `${prefix}_${this.#suffix}${place}`;
  }
}

/** Returns the items of a complete response: reasoning, text, and tool calls. */
export function toOutputItems(
  message: ChatAnswerMessage,
  ids: ItemIds,
  tools: ToolNames,
  status: ItemStatus,
): readonly object[] {
  const items: object[] = [];
  const { content, refusal, reasoning_content: thoughts, thinking_blocks: blocks } = message;
  if (isSaid(thoughts) || (blocks ?? []).length > 0) {
    items.push(thoughtItem(ids.next("rs"), thoughts ?? "", blocks ?? []));
  }
  const parts = [
    ...(isSaid(content) ? [textPart(content, (message.annotations ?? []).map(toAnnotation))] : []),
    ...(isSaid(refusal) ? [refusalPart(refusal)] : []),
  ];
  const calls = message.tool_calls ?? [];
  if (parts.length > 0 || calls.length === 0) {
    const spoken = parts.length > 0 ? parts : [textPart("")];
    items.push(messageItem(ids.next("msg"), spoken, status, message.extra_content));
  }
  for (const { id = "", function: called, extra_content: extra } of calls) {
    const tool = tools.find(called?.name ?? "");
    items.push(callItem(ids.next(tool.isCustom ? "ctc" : "fc"), tool, id, called?.arguments ?? "", status, extra));
  }
  return items;
}

export function messageItem(id: string, content: readonly object[], status: ItemStatus, extra: unknown = null): object {
  return {
    id,
    type: "message",
    status,
    role: "assistant",
    content,
    ...(extra != null && { extra_content: extra }),
  };
}

export function textPart(text: string, annotations: readonly object[] = []): object {
  return { type: "output_text", annotations, logprobs: [], text };
}

export function refusalPart(refusal: string): object {
  return { type: "refusal", refusal };
}

/**
 * Creates a reasoning item. It includes thinking blocks that the provider signed, because the provider requires them to
 * continue the conversation.
 */
export function thoughtItem(id: string, thoughts: string, blocks: readonly object[]): object {
  return {
    id,
    type: "reasoning",
    summary: thoughts === "" ? [] : [{ type: "summary_text", text: thoughts }],
    ...(blocks.length > 0 && { encrypted_content: encodeReasoning(blocks) }),
  };
}

/** Creates a tool call item. `json` is the model's arguments. */
export function callItem(
  id: string,
  { name, namespace, isCustom }: NamedTool,
  callId: string,
  json: string,
  status: ItemStatus,
  extra: unknown = null,
): object {
  const more = { ...(namespace !== null && { namespace }), ...(extra != null && { extra_content: extra }) };
  if (isCustom)
    return { id, type: "custom_tool_call", status, call_id: callId, name, input: customInput(json), ...more };
  return { id, type: "function_call", status, call_id: callId, name, arguments: json, ...more };
}

/** Converts a chat annotation to the Responses format, which has no nested object. */
export function toAnnotation(annotation: object): object {
  const { type, url_citation: cited } = annotation as { readonly type?: unknown; readonly url_citation?: object };
  return cited === undefined ? annotation : { type, ...cited };
}

function isSaid(text: string | null | undefined): text is string {
  return text != null && text !== "";
}
