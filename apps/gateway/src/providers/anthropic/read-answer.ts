import { randomBytes } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { ANSWER_TOOL } from "./answer-format.ts";
import { finishReason, refusalOf } from "./finish-reason.ts";
import { type Counters, countCodeSessions, readUsage, tierOf, writeUsage } from "./read-usage.ts";
import type { Answer, Block } from "./wire.ts";

/** Translates a complete response into a chat completion. */
export function readMessagesAnswer(call: TranslatedCall<ChatRequest>, text: string): ReadAnswer {
  return writeCompletion(call, parse(text));
}

/** Writes a response as a chat completion. */
export function writeCompletion(call: TranslatedCall<ChatRequest>, answer: WholeAnswer): ReadAnswer {
  const counters = answer.usage as Counters | null | undefined;
  const usage = readUsage(counters, countCodeSessions(answer.content, call));
  const tier = tierOf(counters);
  const { message, finish } = toMessage(answer, usesFunctions(call));
  const completion = {
    id: idOf(answer.id),
    object: "chat.completion",
    created: Math.floor(Date.now() / 1_000),
    model: call.model.shownName,
    ...(tier !== null && { service_tier: tier }),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(usage !== null && { usage: writeUsage(usage) }),
  };
  return { text: toJsonBytes(completion), usage };
}

/** Reports whether a call uses legacy functions, which its response must also use. */
export function usesFunctions({ body }: TranslatedCall<ChatRequest>): boolean {
  return body.request.functions != null && body.request.tools == null;
}

/** Returns the response's ID, or a new ID if the response has none. */
export function idOf(id: unknown): string {
  return typeof id === "string" && id !== "" ? id : `chatcmpl-${randomBytes(12).toString("hex")}`;
}

/** A response with content. */
type WholeAnswer = Answer & { readonly content: readonly Block[] };

function toMessage(answer: WholeAnswer, isLegacy: boolean): { message: object; finish: string } {
  let text = "";
  let reasoning = "";
  const thoughts: Block[] = [];
  const calls: { id: unknown; type: "function"; function: { name: unknown; arguments: string } }[] = [];
  for (const block of answer.content) {
    if (block.type === "text") text += asText(block.text);
    else if (block.type === "thinking") {
      reasoning += asText(block.thinking);
      thoughts.push({ type: "thinking", thinking: block.thinking, signature: block.signature });
    } else if (block.type === "redacted_thinking") thoughts.push({ type: block.type, data: block.data });
    else if (block.type === "tool_use") {
      const json = JSON.stringify(block.input ?? {});
      if (block.name === ANSWER_TOOL) text += json;
      else calls.push({ id: block.id, type: "function", function: { name: block.name, arguments: json } });
    }
  }
  const isCalling = calls.length > 0;
  return {
    message: {
      role: "assistant",
      content: text === "" && isCalling ? null : text,
      refusal: refusalOf(answer.stop_details),
      ...(isCalling && (isLegacy ? { function_call: calls[0]?.function } : { tool_calls: calls })),
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
    },
    finish: finishReason(answer.stop_reason, !isCalling ? "none" : isLegacy ? "function_call" : "tool_calls"),
  };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parse(text: string): WholeAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(text, "latin1").toString("utf8"));
  } catch (error) {
    throw unreadable(error);
  }
  const { content } = (answer ?? {}) as Answer;
  if (!Array.isArray(content) || !content.every((block) => typeof block === "object" && block !== null)) {
    throw unreadable();
  }
  return answer as WholeAnswer;
}
