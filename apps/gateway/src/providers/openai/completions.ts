import {
  type CompletionRequest,
  completionParams,
  DEFAULT_MAX_TOKENS,
} from "@tollgate/contracts/completions/completion-request.ts";
import type { TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { hasTokens, textsOf } from "../../tokens/text-or-tokens.ts";
import { findCompletionTexts } from "../../wire/delta-texts.ts";
import { type Edit, toJsonBytes } from "../../wire/edit-body.ts";
import { editRequest, modelEdit, streamOptionsWithUsage } from "../build-request.ts";
import { readChatAnswer } from "./read-answer.ts";
import { readChatPieces } from "./read-answer-pieces.ts";
import { OpenAiStreamReader } from "./stream-reader.ts";
import type { OpenAiWire } from "./wire.ts";

const END_OF_TEXT = '"<|endoftext|>"';
const everyParam: readonly string[] = Object.freeze([...completionParams]);

type CompletionQuirks = Pick<OpenAiWire, "takesTokens" | "alwaysSendsUsage">;

/**
 * Text completions in the OpenAI format. The upstream receives the caller's bytes with the upstream model name and the
 * gateway's edits.
 */
export function completionTranslation(quirks: CompletionQuirks): Translation<CompletionRequest> {
  return {
    supportedParams: () => everyParam,
    buildRequest: (call, target, dropped) => buildCompletionRequest(call, target, dropped, quirks),
    readAnswer: readChatAnswer,
    readPieces: readChatPieces,
    readStream: (call) => new OpenAiStreamReader(call, findCompletionTexts),
  };
}

function buildCompletionRequest(
  call: TranslatedCall<CompletionRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  { takesTokens, alwaysSendsUsage: alwaysReportsUsage }: CompletionQuirks,
): UpstreamRequest {
  const { body } = call;
  const { prompt, max_tokens: limit } = body.request;
  const edits: Edit[] = [modelEdit(target)];
  if (prompt === null) edits.push({ name: "prompt", json: END_OF_TEXT });
  else if (!takesTokens && hasTokens(prompt)) {
    edits.push({ name: "prompt", json: toJsonBytes(textsOf(prompt, target.upstreamModel, "prompt")) });
  }
  // The default limit is always sent, because the hold covers only that many tokens and upstream defaults differ.
  if (limit == null && !dropped.has("max_tokens")) edits.push({ name: "max_tokens", json: String(DEFAULT_MAX_TOKENS) });
  if (call.isStream && (!call.wantsUsage || dropped.has("stream_options")) && !alwaysReportsUsage) {
    edits.push({ name: "stream_options", json: streamOptionsWithUsage(body) });
  }
  return editRequest(call, target, "/completions", edits, dropped);
}
