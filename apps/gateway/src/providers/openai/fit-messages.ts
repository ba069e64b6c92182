import { createHash } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";

export type ChatMessages = ChatRequest["messages"];
type Message = Readonly<Record<string, unknown>>;

/** The developer's messages as the system's; null when there are none. */
export function developerAsSystem(messages: ChatMessages): ChatMessages | null {
  return messages.some(isDeveloper) ? (messages.map(asSystem) as ChatMessages) : null;
}

/** The same, and what a model thought before under the upstream's own name for it. */
export function reasoningFromThinking(messages: ChatMessages): ChatMessages | null {
  if (!messages.some((message) => isDeveloper(message) || hasReasoning(message))) return null;
  return messages.map((message) => asReasoning(asSystem(message))) as ChatMessages;
}

/** The same messages without what a model thought before, for those who refuse to be told. */
export function withoutReasoning(messages: ChatMessages): ChatMessages | null {
  return messages.some(hasReasoning) ? (messages.map(dropReasoning) as ChatMessages) : null;
}

function isDeveloper({ role }: Message): boolean {
  return role === "developer";
}

function hasReasoning(message: Message): boolean {
  return message.reasoning_content !== undefined || message.thinking_blocks !== undefined;
}

function dropReasoning({ reasoning_content: _, thinking_blocks: __, ...rest }: Message): Message {
  return rest;
}

function asSystem(message: Message): Message {
  return isDeveloper(message) ? { ...message, role: "system" } : message;
}

function asReasoning(message: Message): Message {
  if (!hasReasoning(message)) return message;
  const { reasoning_content: reasoning } = message;
  return reasoning == null ? dropReasoning(message) : { ...dropReasoning(message), reasoning };
}

/** Of each role, the members Mistral knows; it refuses a message with any other, empty ones too. */
const knownToMistral: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", "prefix"],
  tool: ["role", "content", "tool_call_id", "name"],
};

/** Messages as Mistral takes them: no members it does not know, ids of calls in its own form, no developer. */
export function messagesForMistral(messages: ChatMessages): ChatMessages | null {
  if (!messages.some(needsChange)) return null;
  return messages.map((message) => forMistral(message as Message)) as unknown as ChatMessages;
}

function needsChange(message: ChatMessages[number]): boolean {
  const known = knownToMistral[message.role];
  if (known === undefined || message.role === "tool") return true;
  for (const name in message) {
    if (name === "tool_calls" || !known.includes(name) || (message as Message)[name] == null) return true;
  }
  return false;
}

function forMistral(message: Message): Message {
  const role = message.role === "developer" ? "system" : (message.role as string);
  const fitted: Record<string, unknown> = {};
  for (const name of knownToMistral[role] ?? Object.keys(message)) {
    if (message[name] != null) fitted[name] = message[name];
  }
  fitted.role = role;
  if (Array.isArray(fitted.tool_calls)) fitted.tool_calls = fitted.tool_calls.map(withShortId);
  if (typeof fitted.tool_call_id === "string") fitted.tool_call_id = shortId(fitted.tool_call_id);
  return fitted;
}

function withShortId(call: Message): Message {
  return { ...call, id: shortId(String(call.id)) };
}

/** Mistral takes ids of exactly nine letters and digits. The same id always becomes the same one, so calls find their answers. */
function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}
