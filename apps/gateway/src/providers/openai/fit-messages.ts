import { createHash } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";

export type ChatMessages = ChatRequest["messages"];
type Message = Readonly<Record<string, unknown>>;

/** Changes developer messages to system messages. Returns null if the request has no developer messages. */
export function developerAsSystem(messages: ChatMessages): ChatMessages | null {
  return messages.some(isDeveloper) ? (messages.map(asSystem) as ChatMessages) : null;
}

/**
 * Changes developer messages to system messages, and renames the member with earlier reasoning to the upstream's name.
 */
export function reasoningFromThinking(messages: ChatMessages): ChatMessages | null {
  if (!messages.some((message) => isDeveloper(message) || hasReasoning(message))) return null;
  return messages.map((message) => asReasoning(asSystem(message))) as ChatMessages;
}

/** Removes earlier reasoning, for upstreams that reject it. */
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

/** Members that Mistral accepts for each role. Mistral rejects messages with any other member, even an empty one. */
const knownToMistral: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", "prefix"],
  tool: ["role", "content", "tool_call_id", "name"],
};

/**
 * Adapts messages to Mistral, which accepts no unknown members, requires its own call ID format, and has no developer
 * role.
 */
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

/**
 * Shortens an ID to the nine letters and digits that Mistral requires. The same ID always maps to the same result, so
 * that tool results match their calls.
 */
function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}
