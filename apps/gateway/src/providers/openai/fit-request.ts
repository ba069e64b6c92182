import { createHash } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { TranslatedCall, UpstreamTarget } from "../../call/provider.ts";
import type { Edit } from "../../wire/edit-body.ts";

/**
 * Adds edits for parameters whose change depends on their value. Returns the names of the members that must not be
 * sent.
 */
export type FitParams = (
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  edits: Edit[],
  dropped: ReadonlySet<string>,
) => ReadonlySet<string>;

/** Renames parameters to the upstream's names. */
export function renameParams(renames: Readonly<Record<string, string>>): FitParams {
  return (call, _target, edits, dropped) => {
    const request = call.body.request as Readonly<Record<string, unknown>>;
    let left = dropped;
    for (const from in renames) {
      if (request[from] == null || dropped.has(from)) continue;
      // If a client sends the output limit under both names, the newer name takes precedence.
      if (from !== "max_tokens" || request.max_completion_tokens == null) {
        edits.push({ name: renames[from] as string, json: JSON.stringify(request[from]) });
      }
      left = without(left, from);
    }
    return left;
  };
}

/**
 * Handles a parameter whose value the model doesn't support. Drops the parameter if that is allowed, and otherwise
 * rejects the request.
 */
export function dropOrRefuse(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  name: string,
  message: string,
): ReadonlySet<string> {
  const { drop_params: drops } = call.body.request;
  if (drops ?? target.dropsParams ?? false) return without(dropped, name);
  throw new Failure("unsupported_parameter", message, { param: name });
}

/** Returns the dropped names, including this name. */
export function without(dropped: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return dropped.has(name) ? dropped : new Set([...dropped, name]);
}

const sampling = ["top_p", "logprobs", "top_logprobs"];
const fixed = ["presence_penalty", "frequency_penalty", "logit_bias"];
const limitByNewName = renameParams({ max_tokens: "max_completion_tokens" });

/**
 * Returns the parameters that a reasoning model rejects. Azure deployments have custom names, to which the same name
 * rules apply.
 */
export function refusedByReasoning(model: string): readonly string[] {
  const kind = reasoningKind(model);
  if (kind === null) return [];
  // Reasoning models since o3 reject `stop`. Models with optional reasoning accept sampling parameters.
  return [...fixed, ...(kind === "optional" ? [] : sampling), ...(/(?:^|\/)o1/.test(model) ? [] : ["stop"])];
}

/**
 * Adapts parameters to reasoning models, which accept only the newer name of the output limit and only the default
 * temperature.
 */
export const fitReasoning: FitParams = (call, target, edits, dropped) => {
  const { temperature, max_tokens: limit } = call.body.request;
  if (temperature == null && limit == null) return dropped;
  const kind = reasoningKind(target.upstreamModel);
  if (kind === null) return dropped;
  const left = limit == null ? dropped : limitByNewName(call, target, edits, dropped);
  if (kind === "optional" || temperature == null || temperature === 1 || left.has("temperature")) return left;
  const message = `Model '${call.model.shownName}' supports only a temperature of 1.`;
  return dropOrRefuse(call, target, left, "temperature", message);
};

/** Reports whether a model can reason before it responds. */
export function thinks(model: string): boolean {
  return reasoningKind(model) !== null;
}

type ReasoningKind = "always" | "optional" | null;

/** Clients can send any name that matches a pattern, so the number of names is unlimited. */
const MAX_KNOWN_KINDS = 256;
const knownKinds = new Map<string, ReasoningKind>();

/** Returns whether a model reasons always, optionally, or never (null). The result is cached. */
function reasoningKind(model: string): ReasoningKind {
  const known = knownKinds.get(model);
  if (known !== undefined) return known;
  const kind = readReasoningKind(model);
  if (knownKinds.size < MAX_KNOWN_KINDS) knownKinds.set(model, kind);
  return kind;
}

function readReasoningKind(model: string): ReasoningKind {
  const name = model.slice(model.lastIndexOf("/") + 1);
  if (/^o\d/.test(name)) return "always";
  const version = /^gpt-(\d+)(\.\d+)?/.exec(name);
  if (version === null || Number(version[1]) < 5 || name.includes("-chat")) return null;
  return Number(version[1]) === 5 && version[2] === undefined ? "always" : "optional";
}

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
