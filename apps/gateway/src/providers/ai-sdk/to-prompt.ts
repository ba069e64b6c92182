import type { PromptMessage } from "./model-v4.ts";

interface AskedPart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: string | { readonly url: string };
  readonly input_audio?: { readonly data: string; readonly format: string };
  readonly file?: { readonly file_data?: string | null; readonly filename?: string | null };
}

type AskedContent = string | readonly AskedPart[] | null | undefined;

/** A chat message. */
export interface WireChatMessage {
  readonly role: string;
  readonly content?: AskedContent;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly AskedCall[] | null;
  readonly tool_call_id?: string;
}

interface AskedCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

const DATA_URL = /^data:([^;,]*)[^,]*;base64,/;

/** Converts the messages to the package interface's prompt format. Throws for parts that the format doesn't support. */
export function toPrompt(messages: readonly WireChatMessage[]): readonly PromptMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message): PromptMessage => {
    switch (message.role) {
      case "system":
        return { role: "system", content: textOf(message.content) };
      case "assistant":
        for (const { id, function: called } of message.tool_calls ?? []) toolNames.set(id, called?.name ?? "");
        return { role: "assistant", content: assistantParts(message) };
      case "tool": {
        const id = message.tool_call_id ?? "";
        const output = { type: "text", value: textOf(message.content) };
        const result = { type: "tool-result", toolCallId: id, toolName: toolNames.get(id) ?? "", output };
        return { role: "tool", content: [result] };
      }
      case "user":
        return { role: "user", content: userParts(message.content) };
      default:
        throw new UnsupportedRequest(`messages with role '${message.role}'`);
    }
  });
}

/** Thrown for an unsupported request. It has the same name as the packages' error with this meaning. */
export class UnsupportedRequest extends Error {
  override readonly name = "AI_UnsupportedFunctionalityError";

  constructor(what: string) {
    super(`Adapters do not support ${what}.`);
  }
}

function assistantParts({
  content,
  reasoning_content: reasoning,
  tool_calls: calls,
}: WireChatMessage): readonly object[] {
  const text = textOf(content);
  return [
    ...(reasoning == null || reasoning === "" ? [] : [{ type: "reasoning", text: reasoning }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...(calls ?? []).map(({ id, function: called }) => {
      if (called === undefined) throw new UnsupportedRequest("tool calls other than function calls");
      return { type: "tool-call", toolCallId: id, toolName: called.name, input: inputOf(called.arguments) };
    }),
  ];
}

/** Parses arguments as JSON. Returns text that isn't valid JSON unchanged. */
function inputOf(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

function userParts(content: AskedContent): readonly object[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (content ?? []).map((part) => {
    if (part.text !== undefined) return { type: "text", text: part.text };
    if (part.image_url !== undefined) {
      return filePart(typeof part.image_url === "string" ? part.image_url : part.image_url.url, "image");
    }
    if (part.input_audio !== undefined) {
      const { data, format } = part.input_audio;
      return { type: "file", mediaType: `audio/${format === "mp3" ? "mpeg" : format}`, data: { type: "data", data } };
    }
    const { file_data: data, filename } = part.file ?? {};
    if (data == null) throw new UnsupportedRequest(`parts of type '${part.type}' without data`);
    return { ...filePart(data, "application/pdf"), ...(filename != null && { filename }) };
  });
}

/** Converts a file. The contents of a data URL are sent inline. The provider fetches other URLs. */
function filePart(address: string, mediaType: string): object {
  const inline = DATA_URL.exec(address);
  if (inline === null) return { type: "file", mediaType, data: { type: "url", url: new URL(address) } };
  const [head, given] = inline;
  return {
    type: "file",
    mediaType: given === undefined || given === "" ? mediaType : given,
    data: { type: "data", data: address.slice(head.length) },
  };
}

function textOf(content: AskedContent): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}
