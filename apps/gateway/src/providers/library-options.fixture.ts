import type { createOpenAI } from "@ai-sdk/openai";

/** A model in an independent client library. All of the library's packages have the same interface. */
export type LibraryModel = ReturnType<ReturnType<typeof createOpenAI>["chat"]>;
export type LibraryOptions = Parameters<LibraryModel["doGenerate"]>[0];

/** The body of a chat call as clients send it. */
export type ChatBody = { readonly messages: readonly Record<string, unknown>[] } & Record<string, unknown>;

type LibraryPrompt = LibraryOptions["prompt"];
type LibraryMessage = LibraryPrompt[number];
type UserPart = Extract<LibraryMessage, { role: "user" }>["content"][number];
type AssistantPart = Extract<LibraryMessage, { role: "assistant" }>["content"][number];

interface Message {
  readonly role: string;
  readonly content?: string | readonly Record<string, unknown>[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

/** Converts a chat body to the client library's call options. Throws if the library has no option for a field. */
export function toLibraryOptions(body: ChatBody): LibraryOptions {
  const { messages, stream: _, stream_options: __, ...params } = body;
  const options: Record<string, unknown> = { prompt: toPrompt(messages as unknown as readonly Message[]) };
  for (const [name, value] of Object.entries(params)) {
    const [option, translate] = optionOf(name);
    options[option] = translate(value);
  }
  return options as unknown as LibraryOptions;
}

type Translate = (value: never) => unknown;

const same: Translate = (value) => value;
const optionsByParam: Readonly<Record<string, readonly [string, Translate]>> = {
  max_tokens: ["maxOutputTokens", same],
  max_completion_tokens: ["maxOutputTokens", same],
  temperature: ["temperature", same],
  top_p: ["topP", same],
  top_k: ["topK", same],
  presence_penalty: ["presencePenalty", same],
  frequency_penalty: ["frequencyPenalty", same],
  seed: ["seed", same],
  reasoning_effort: ["reasoning", same],
  stop: ["stopSequences", (stop: string | string[]) => (typeof stop === "string" ? [stop] : stop)],
  tools: ["tools", toTools],
  tool_choice: ["toolChoice", toToolChoice],
  response_format: ["responseFormat", toResponseFormat],
};

function optionOf(name: string): readonly [string, (value: unknown) => unknown] {
  const option = optionsByParam[name];
  if (option === undefined) throw new Error(`the library has no option for '${name}'`);
  return option as readonly [string, (value: unknown) => unknown];
}

function toTools(tools: readonly { function: Record<string, unknown> }[]): unknown {
  return tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: "function",
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters ?? { type: "object", properties: {} },
    ...(strict !== undefined && { strict }),
  }));
}

function toToolChoice(choice: string | { function: { name: string } }): unknown {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.function.name };
}

function toResponseFormat(format: { type: string; json_schema?: Record<string, unknown> }): unknown {
  if (format.type === "text") return { type: "text" };
  const { name, description, schema } = format.json_schema ?? {};
  return { type: "json", name, description, schema };
}

function toPrompt(messages: readonly Message[]): LibraryPrompt {
  const names = new Map(
    messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function.name] as const)),
  );
  return messages.map((message): LibraryMessage => {
    if (message.role === "system" || message.role === "developer") {
      return { role: "system", content: textOf(message) };
    }
    if (message.role === "user") return { role: "user", content: partsOf(message).map(toUserPart) };
    if (message.role === "assistant") return { role: "assistant", content: toAssistantParts(message) };
    const toolCallId = message.tool_call_id ?? "";
    const output = { type: "text" as const, value: textOf(message) };
    return {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName: names.get(toolCallId) ?? "", output }],
    };
  });
}

function toAssistantParts(message: Message): AssistantPart[] {
  const { reasoning_content: thought, tool_calls: calls } = message;
  const text = textOf(message);
  return [
    ...(thought === undefined ? [] : [{ type: "reasoning" as const, text: thought }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...(calls ?? []).map((call) => ({
      type: "tool-call" as const,
      toolCallId: call.id,
      toolName: call.function.name,
      input: JSON.parse(call.function.arguments) as unknown,
    })),
  ];
}

function toUserPart(part: Record<string, unknown>): UserPart {
  if (part.type === "text") return { type: "text", text: part.text as string };
  if (part.type === "image_url") return imagePart((part.image_url as { url: string }).url);
  if (part.type === "input_audio") {
    const { data, format } = part.input_audio as { data: string; format: string };
    return {
      type: "file",
      mediaType: format === "mp3" ? "audio/mpeg" : `audio/${format}`,
      data: { type: "data", data },
    };
  }
  if (part.type === "file") {
    const { file_data: url, filename } = part.file as { file_data: string; filename: string };
    return { ...imagePart(url), filename };
  }
  throw new Error(`the library has no part '${String(part.type)}'`);
}

function imagePart(address: string): Extract<UserPart, { type: "file" }> {
  const inline = /^data:([^;]+);base64,(.*)$/s.exec(address);
  if (inline === null) return { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(address) } };
  return { type: "file", mediaType: inline[1] as string, data: { type: "data", data: inline[2] as string } };
}

function partsOf({ content }: Message): readonly Record<string, unknown>[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

function textOf(message: Message): string {
  return partsOf(message)
    .map((part) => (part.text as string | undefined) ?? "")
    .join("");
}
