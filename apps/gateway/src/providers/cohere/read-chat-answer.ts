import { randomUUID } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import type { CohereAnswer, CohereContent, CohereToolCall } from "./cohere-wire.ts";
import { finishReasonOf, isBroken } from "./finish-reason.ts";
import { readAnnotations } from "./read-annotations.ts";
import { publicUsage, readCohereUsage } from "./read-usage.ts";

/** Reads a complete response and writes it as a chat completion. */
export function readChatAnswer(call: TranslatedCall<ChatRequest>, text: string): ReadAnswer {
  const answer = parseAnswer(text);
  const { message, isCalling } = toMessage(answer);
  if (isBroken(answer.finish_reason) && message.content === "") throw truncatedResponse(answer.finish_reason);
  const usage = readCohereUsage(answer.usage);
  const completion = {
    id: chatId(answer.id),
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: call.model.shownName,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer.finish_reason, isCalling) }],
    ...(usage !== null && { usage: publicUsage(usage) }),
  };
  return { text: toJsonBytes(completion), usage };
}

/** Returns a chat completion ID. The ID is derived from the response's ID, or generated if the response has none. */
export function chatId(id: unknown): string {
  return `chatcmpl-${typeof id === "string" && id !== "" ? id : randomUUID()}`;
}

/** Creates the failure for a model that stopped midway without output. */
export function truncatedResponse(reason: unknown): Failure {
  return new Failure("bad_gateway", "The model stopped before its response was complete.", {
    detail: { upstreamReason: reason },
  });
}

function toMessage({ message }: CohereAnswer): { message: { content: string | null }; isCalling: boolean } {
  const { content, tool_plan: plan, tool_calls: given, citations } = message ?? {};
  let text = "";
  let reasoning = "";
  for (const part of Array.isArray(content) ? (content as readonly (CohereContent | null)[]) : []) {
    if (typeof part?.text === "string") text += part.text;
    else if (typeof part?.thinking === "string") reasoning += part.thinking;
  }
  const calls = (Array.isArray(given) ? (given as readonly CohereToolCall[]) : []).map(toCall);
  const isCalling = calls.length > 0;
  // If the model returns only tool calls and a plan, the plan becomes the response text.
  if (isCalling && text === "" && typeof plan === "string") text = plan;
  const annotations = readAnnotations(citations);
  const written = {
    role: "assistant",
    content: text === "" && isCalling ? null : text,
    refusal: null,
    ...(isCalling && { tool_calls: calls }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(annotations.length > 0 && { annotations }),
  };
  return { message: written, isCalling };
}

function toCall({ id, function: called }: CohereToolCall): object {
  if (typeof id !== "string" || typeof called?.name !== "string") throw unreadable();
  const given = typeof called.arguments === "string" && called.arguments !== "" ? called.arguments : "{}";
  return { id, type: "function", function: { name: called.name, arguments: given } };
}

function parseAnswer(text: string): CohereAnswer {
  let answer: CohereAnswer | null;
  try {
    answer = JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as CohereAnswer | null;
  } catch (error) {
    throw unreadable(error);
  }
  if (typeof answer?.message !== "object" || answer.message === null) throw unreadable();
  return answer;
}
