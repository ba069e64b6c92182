import { randomUUID } from "node:crypto";
import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { findDeltaTexts } from "../../wire/delta-texts.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { answerId, type CallForm, shownCalls, shownExtras } from "./answer-parts.ts";
import { finishReasonOf, isBroken } from "./finish-reason.ts";
import type { GeminiCandidate, GeminiUsage, GenerateContentResponse } from "./gemini-wire.ts";
import { readAnnotations } from "./read-annotations.ts";
import { readCandidate } from "./read-candidate.ts";
import { blockedPrompt, callFormOf, nowSeconds, truncatedResponse } from "./read-chat-answer.ts";
import { readGeminiFailure } from "./read-failure.ts";
import { readLogprobs } from "./read-logprobs.ts";
import { countTools, NO_TOOLS, publicUsage, readGeminiUsage, type ToolCounts } from "./read-usage.ts";
import { SseFrames } from "./sse-frames.ts";

const DONE = "data: [DONE]\n\n";

/** The state of one choice during the stream. */
interface Choice {
  hasBegun: boolean;
  calls: number;
  /** The finish reason; null until the model reports one. */
  reason: string | null;
  /** The text received so far. It is stored because citations arrive last and refer to positions in the text. */
  text: string;
}

/**
 * Reads a stream of response objects, each with only the new content, and writes chat chunks. The stream has no closing
 * frame, and the finish reasons and the usage may change until its end, so they are written at the end.
 */
export class GeminiStreamReader implements StreamReader {
  isDone = false;
  usage: Usage | null = null;
  failure: Failure | null = null;
  readonly output = new OutputMeter(findDeltaTexts);

  readonly #wantsUsage: boolean;
  readonly #modelJson: string;
  readonly #form: CallForm;
  readonly #frames = new SseFrames();
  readonly #choices = new Map<number, Choice>();
  #rawUsage: GeminiUsage | null = null;
  #tools: ToolCounts = NO_TOOLS;
  #id = "";
  /** The start of every chunk in this stream. */
  #head = "";

  constructor(call: TranslatedCall<ChatRequest>) {
    this.#wantsUsage = call.wantsUsage;
    this.#modelJson = call.model.shownJson;
    this.#form = callFormOf(call);
  }

  push(text: string): string {
    const frames = this.#frames.push(text);
    if (this.#frames.isTooLong) this.failure ??= new OversizedEvent();
    return this.#read(frames);
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    // An incomplete frame is ignored. The earlier frames determine whether the response is complete.
    const last = this.#read(this.#frames.end().filter((frame) => parse(frame) !== undefined));
    if (this.failure !== null) return last;
    const choices = [...this.#choices.values()];
    if (choices.length === 0 || choices.some(({ reason }) => reason === null)) {
      this.failure = new Failure("bad_gateway", "The model's response ended before it was complete.");
      return last;
    }
    const broken = choices.find(({ reason, hasBegun }) => isBroken(reason ?? "") && !hasBegun);
    if (broken !== undefined) {
      this.failure = truncatedResponse(broken.reason ?? "");
      return last;
    }
    this.isDone = true;
    return last + this.#ending() + DONE;
  }

  #read(frames: readonly string[]): string {
    let written = "";
    for (const frame of frames) {
      if (this.failure !== null) break;
      // Some intermediate gateways add the closing frame of the chat format.
      if (frame === "[DONE]") continue;
      const answer = parseFrame(frame);
      if (answer instanceof Failure) this.failure = answer;
      else written += this.#readAnswer(answer);
    }
    this.output.add(written);
    return written;
  }

  #readAnswer(answer: GenerateContentResponse): string {
    if (this.#head === "") this.#begin(answer);
    const candidates = answer.candidates ?? [];
    this.#addTools(countTools(candidates, answer.modelVersion));
    if (answer.usageMetadata !== undefined) this.#readUsage(answer.usageMetadata);
    if (candidates.length === 0) this.failure = blockedPrompt(answer);
    return candidates.map((candidate, position) => this.#readCandidate(candidate, position)).join("");
  }

  #begin({ responseId }: GenerateContentResponse): void {
    this.#id = answerId(responseId, randomUUID);
    const id = toJsonBytes(`chatcmpl-${this.#id}`);
    this.#head = `data: {"id":${id},"object":"chat.completion.chunk","created":${nowSeconds()},"model":${this.#modelJson}`;
  }

  /** Adds tools, which are in one of the last events. An event repeats those of earlier ones. */
  #addTools({ webSearches, toolCalls }: ToolCounts): void {
    if (webSearches === 0 && toolCalls === 0) return;
    this.#tools = {
      webSearches: Math.max(this.#tools.webSearches, webSearches),
      toolCalls: Math.max(this.#tools.toolCalls, toolCalls),
    };
    // The event may come after the last one with token counts.
    if (this.usage !== null) this.usage = { ...this.usage, ...this.#tools };
  }

  /** Reads token counts, which are cumulative, so the last counts are final. */
  #readUsage(raw: GeminiUsage): void {
    const usage = readGeminiUsage(raw, this.#tools);
    if (usage === null) return;
    this.usage = usage;
    this.#rawUsage = raw;
  }

  #readCandidate(candidate: GeminiCandidate, position: number): string {
    const index = candidate.index ?? position;
    const choice = this.#choiceAt(index);
    if (typeof candidate.finishReason === "string") choice.reason ??= candidate.finishReason;
    const said = readCandidate(candidate);
    choice.text += said.text;
    const { groundingMetadata, logprobsResult } = candidate;
    const annotations = groundingMetadata === undefined ? [] : readAnnotations(groundingMetadata, choice.text);
    const delta = {
      ...(said.thoughts !== "" && { reasoning_content: said.thoughts }),
      ...(said.text !== "" && { content: said.text }),
      ...shownCalls(said.calls, this.#form, this.#id, choice.calls),
      ...(annotations.length > 0 && { annotations }),
      ...shownExtras(said, this.#id),
    };
    choice.calls += said.calls.length;
    if (Object.keys(delta).length === 0) return "";
    return this.#delta(index, choice, delta, logprobsResult && readLogprobs(logprobsResult));
  }

  #choiceAt(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice = { hasBegun: false, calls: 0, reason: null, text: "" };
    this.#choices.set(index, choice);
    return choice;
  }

  #delta(index: number, choice: Choice, delta: object, logprobs: object | undefined): string {
    const role = choice.hasBegun ? {} : { role: "assistant" };
    choice.hasBegun = true;
    return this.#chunk({ index, delta: { ...role, ...delta }, finish_reason: null, logprobs: logprobs ?? null });
  }

  /** Returns the final chunk of each choice, and the usage if the client requested it. */
  #ending(): string {
    let ending = "";
    for (const [index, choice] of this.#choices) {
      if (!choice.hasBegun) ending += this.#delta(index, choice, { content: "" }, undefined);
      const reason = finishReasonOf(choice.reason ?? "", choice.calls > 0 ? this.#form : null);
      ending += this.#chunk({ index, delta: {}, finish_reason: reason, logprobs: null });
    }
    if (!this.#wantsUsage || this.usage === null || this.#rawUsage === null) return ending;
    return `${ending}${this.#head},"choices":[],"usage":${toJsonBytes(publicUsage(this.usage, this.#rawUsage))}}\n\n`;
  }

  #chunk(choice: object): string {
    const usage = this.#wantsUsage ? ',"usage":null' : "";
    return `${this.#head},"choices":[${toJsonBytes(choice)}]${usage}}\n\n`;
  }
}

/** Returns a frame's response, or the failure that the frame reports. */
function parseFrame(json: string): GenerateContentResponse | Failure {
  const value = parse(json);
  const answer = (Array.isArray(value) ? value[0] : value) as Frame | null | undefined;
  if (typeof answer !== "object" || answer === null) {
    return new Failure("bad_gateway", "The model sent an invalid stream event.");
  }
  if (answer.error === undefined) return answer;
  const status = Number(answer.error?.code);
  return readGeminiFailure(Number.isInteger(status) && status >= 400 && status < 600 ? status : 500, {}, json);
}

interface Frame extends GenerateContentResponse {
  readonly error?: { readonly code?: unknown };
}

/** Returns the parsed value, or undefined if the text isn't valid JSON. */
function parse(json: string): unknown {
  try {
    return JSON.parse(Buffer.from(json, "latin1").toString("utf8"));
  } catch {
    return undefined;
  }
}
