import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { GeminiTraits } from "./gemini-traits.ts";
import type { GeminiContent, GeminiPart } from "./gemini-wire.ts";
import { filePart, type MediaHints, mediaPart } from "./media-parts.ts";

type ChatMessage = ChatRequest["messages"][number];
type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>;
type ToolMessage = Extract<ChatMessage, { role: "tool" }>;
type MessageContent = ChatMessage["content"];

/** Google's placeholder signature for tool calls from other models. Google rejects tool calls without a signature. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** A conversation's turns and its system instructions. */
interface Conversation {
  readonly contents: readonly GeminiContent[];
  readonly instructions: readonly GeminiPart[];
}

/**
 * A turn of one role. Function responses form a separate turn, because their number must match the number of calls in
 * the preceding turn.
 */
interface Turn {
  readonly kind: "user" | "model" | "responses";
  readonly parts: GeminiPart[];
}

/** Translates the conversation to the Gemini format. Consecutive messages with the same role become one turn. */
export function buildContents(messages: readonly ChatMessage[], traits: GeminiTraits): Conversation {
  const turns: Turn[] = [];
  const instructions: GeminiPart[] = [];
  const functionNames = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`;
    switch (message.role) {
      case "system":
      case "developer":
        instructions.push(...contentParts(message.content, place));
        break;
      case "user":
        addTo(turns, "user", contentParts(message.content, place));
        break;
      case "assistant":
        for (const call of message.tool_calls ?? []) {
          if (call.type === "function") functionNames.set(call.id, call.function.name);
        }
        addTo(turns, "model", assistantParts(message, place, traits));
        break;
      case "tool":
        addTo(turns, "responses", toolParts(message, functionNames.get(message.tool_call_id) ?? "", place, traits));
        break;
      case "function":
        addTo(turns, "responses", [
          { functionResponse: { name: message.name, response: responseObject(message.content ?? "") } },
        ]);
        break;
    }
  }
  return placeInstructions(turns, instructions, traits);
}

/**
 * Puts system messages in the `systemInstruction` field, unless the model doesn't support it or the conversation has no
 * other messages.
 */
function placeInstructions(
  turns: readonly Turn[],
  instructions: readonly GeminiPart[],
  traits: GeminiTraits,
): Conversation {
  const contents = turns.map(
    ({ kind, parts }): GeminiContent => ({ role: kind === "model" ? "model" : "user", parts }),
  );
  if (instructions.length === 0 || (traits.takesInstructions && contents.length > 0)) return { contents, instructions };
  const [first, ...rest] = contents;
  if (first?.role !== "user")
    return { contents: [{ role: "user", parts: instructions }, ...contents], instructions: [] };
  return { contents: [{ role: "user", parts: [...instructions, ...first.parts] }, ...rest], instructions: [] };
}

function addTo(turns: Turn[], kind: Turn["kind"], parts: readonly GeminiPart[]): void {
  const last = turns.at(-1);
  if (parts.length === 0) return;
  if (last?.kind === kind) last.parts.push(...parts);
  else turns.push({ kind, parts: [...parts] });
}

function contentParts(content: MessageContent, place: string): GeminiPart[] {
  // The provider rejects empty text.
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return (content ?? []).flatMap((part, index): GeminiPart[] => {
    const param = `${place}.content.${index}`;
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ text: part.text }];
      case "refusal":
        return [{ text: part.refusal }];
      case "image_url":
        return [addressPart(part.image_url, { param: `${param}.image_url`, defaultType: "image/jpeg" })];
      case "video_url":
        return [addressPart(part.video_url, { param: `${param}.video_url` })];
      case "input_audio":
        return [{ inlineData: { mimeType: `audio/${part.input_audio.format}`, data: part.input_audio.data } }];
      case "file":
        return [filePart(part.file, { ...part.file, param: `${param}.file` })];
      default:
        return [];
    }
  });
}

function addressPart(address: string | { readonly url: string }, hints: MediaHints): GeminiPart {
  if (typeof address === "string") return mediaPart(address, hints);
  const { format } = address as { readonly format?: unknown };
  return mediaPart(address.url, {
    ...hints,
    format: typeof format === "string" ? format : null,
    param: `${hints.param}.url`,
  });
}

function assistantParts(message: AssistantMessage, place: string, traits: GeminiTraits): GeminiPart[] {
  const parts = contentParts(message.content ?? message.refusal ?? "", place);
  const signature = signatureOf(message);
  const lastText = parts.at(-1);
  if (signature !== null && lastText !== undefined)
    parts[parts.length - 1] = { ...lastText, thoughtSignature: signature };
  const calls = message.tool_calls ?? [];
  const isForeign = traits.thinking === "level" && calls.every((call) => signatureOf(call) === null);
  for (const [index, call] of calls.entries()) {
    const param = `${place}.tool_calls.${index}`;
    if (call.type !== "function") {
      throw new Failure("unsupported_tool", "This model supports only function calls.", { param: `${param}.type` });
    }
    const { name, arguments: text } = call.function;
    const own = signatureOf(call) ?? (isForeign && index === 0 ? FOREIGN_SIGNATURE : null);
    parts.push({
      functionCall: { id: call.id, name, args: parseArguments(text, `${param}.function.arguments`) },
      ...(own !== null && { thoughtSignature: own }),
    });
  }
  if (message.function_call != null) {
    const { name, arguments: text } = message.function_call;
    parts.push({
      functionCall: { name, args: parseArguments(text, `${place}.function_call.arguments`) },
      ...(traits.thinking === "level" && { thoughtSignature: FOREIGN_SIGNATURE }),
    });
  }
  return parts;
}

/** Returns a thought signature. The gateway and Google's own OpenAI-compatible API use the same field for it. */
function signatureOf(carrier: object): string | null {
  const { extra_content: extra } = carrier as { readonly extra_content?: { readonly google?: Signed | null } | null };
  const signature = extra?.google?.thought_signature;
  return typeof signature === "string" && signature !== "" ? signature : null;
}

interface Signed {
  readonly thought_signature?: unknown;
}

function parseArguments(text: string, param: string): object {
  const value = text.trim() === "" ? {} : parseObject(text);
  if (value !== null) return value;
  throw new Failure("invalid_request", "The arguments of a tool call must be a JSON object.", { param });
}

/**
 * Converts a function's result. Images are placed inside the function response if the model supports that, and
 * otherwise next to it.
 */
function toolParts(message: ToolMessage, name: string, place: string, traits: GeminiTraits): GeminiPart[] {
  const { content } = message;
  const all = typeof content === "string" ? [{ text: content }] : contentParts(content, place);
  const texts = all.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const media = all.filter(({ text }) => text === undefined);
  const isInside = traits.thinking === "level" && media.length > 0;
  const response = {
    id: message.tool_call_id,
    name,
    response: responseObject(texts.join("")),
    ...(isInside && { parts: media }),
  };
  return [{ functionResponse: response }, ...(isInside ? [] : media)];
}

/** Wraps text that isn't a JSON object, because the API requires an object. */
function responseObject(text: string): object {
  return parseObject(text) ?? { result: text };
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
