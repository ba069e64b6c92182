import { randomUUID } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { answerId, type CallForm, shownCalls, shownExtras } from "./answer-parts.ts";
import { finishReasonOf, isBroken } from "./finish-reason.ts";
import type { GeminiCandidate, GenerateContentResponse } from "./gemini-wire.ts";
import { readAnnotations } from "./read-annotations.ts";
import { type CandidateContent, readCandidate } from "./read-candidate.ts";
import { readLogprobs } from "./read-logprobs.ts";
import { countTools, publicUsage, readGeminiUsage } from "./read-usage.ts";

/** Reads a complete response and writes it as a chat completion. */
export function readChatAnswer(call: TranslatedCall<ChatRequest>, text: string): ReadAnswer {
  const answer = parseAnswer(text);
  const candidates = answer.candidates ?? [];
  if (candidates.length === 0) throw blockedPrompt(answer) ?? unreadable();
  const id = answerId(answer.responseId, randomUUID);
  const form = callFormOf(call);
  const choices = candidates.map((candidate, position) => shownChoice(candidate, position, form, id));
  const raw = answer.usageMetadata;
  const usage = raw === undefined ? null : readGeminiUsage(raw, countTools(candidates, answer.modelVersion));
  const head = `{"id":${toJsonBytes(`chatcmpl-${id}`)},"object":"chat.completion","created":${nowSeconds()}`;
  const tail = raw === undefined || usage === null ? "" : `,"usage":${toJsonBytes(publicUsage(usage, raw))}`;
  return { text: `${head},"model":${call.model.shownJson},"choices":${toJsonBytes(choices)}${tail}}`, usage };
}

/** Returns the format of function calls in the response, which is the format that the request uses. */
export function callFormOf(call: TranslatedCall<ChatRequest>): CallForm {
  return call.body.request.functions == null ? "tool_calls" : "function_call";
}

/**
 * Returns the failure for a blocked prompt, or null if the prompt wasn't blocked. Gemini reports a blocked prompt with
 * status 200.
 */
export function blockedPrompt({ promptFeedback }: GenerateContentResponse): Failure | null {
  const reason = promptFeedback?.blockReason;
  if (typeof reason !== "string" || reason === "BLOCK_REASON_UNSPECIFIED") return null;
  return new Failure("content_filter", "The provider's content filter blocked the request.", {
    detail: { upstreamReason: reason },
    providerFields: { block_reason: reason },
  });
}

/** Creates the failure for a model that stopped midway without output. */
export function truncatedResponse(reason: string): Failure {
  return new Failure("bad_gateway", "The model stopped before its response was complete.", {
    detail: { upstreamReason: reason },
    providerFields: { finish_reason: reason },
  });
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function shownChoice(candidate: GeminiCandidate, position: number, form: CallForm, id: string): object {
  const said = readCandidate(candidate);
  const reason = candidate.finishReason ?? "STOP";
  if (isBroken(reason) && saysNothing(said)) throw truncatedResponse(reason);
  const { groundingMetadata, logprobsResult } = candidate;
  const annotations = groundingMetadata === undefined ? [] : readAnnotations(groundingMetadata, said.text);
  return {
    index: candidate.index ?? position,
    message: {
      role: "assistant",
      content: said.text === "" && hasOtherThanText(said) ? null : said.text,
      refusal: null,
      ...(said.thoughts !== "" && { reasoning_content: said.thoughts }),
      ...withoutIndex(shownCalls(said.calls, form, id, 0)),
      ...(annotations.length > 0 && { annotations }),
      ...shownExtras(said, id),
    },
    logprobs: logprobsResult === undefined ? null : readLogprobs(logprobsResult),
    finish_reason: finishReasonOf(reason, said.calls.length > 0 ? form : null),
  };
}

function saysNothing(said: CandidateContent): boolean {
  return said.text === "" && !hasOtherThanText(said);
}

function hasOtherThanText({ calls, images, sound }: CandidateContent): boolean {
  return calls.length > 0 || images.length > 0 || sound !== "";
}

/** Removes the index from tool calls, because only streamed tool calls have one. */
function withoutIndex(shown: { readonly tool_calls?: readonly { readonly index: number }[] }): object {
  if (shown.tool_calls === undefined) return shown;
  return { tool_calls: shown.tool_calls.map(({ index: _, ...call }) => call) };
}

function parseAnswer(text: string): GenerateContentResponse {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "latin1").toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw unreadable(error);
  }
  throw unreadable();
}
