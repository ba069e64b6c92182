import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { StreamReader, TranslatedCall } from "../../call/provider.ts";
import { OutputMeter } from "../../tokens/output-meter.ts";
import { findDeltaTexts } from "../../wire/delta-texts.ts";
import { toJsonBytes } from "../../wire/edit-body.ts";
import { OversizedEvent } from "../../wire/invalid-response.ts";
import { MAX_FRAME_BYTES } from "../../wire/sse-frames.ts";
import type { CohereCitation, CohereContent, CohereToolCall, CohereUsage } from "./cohere-wire.ts";
import { finishReasonOf, isBroken } from "./finish-reason.ts";
import { readAnnotations } from "./read-annotations.ts";
import { chatId, truncatedResponse } from "./read-chat-answer.ts";
import { readCohereFailure } from "./read-failure.ts";
import { publicUsage, readCohereUsage } from "./read-usage.ts";

const DONE = "data: [DONE]\n\n";

/** A stream event, with the fields that are read. */
interface StreamEvent {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly message?: unknown;
  readonly delta?: {
    readonly message?: {
      readonly content?: CohereContent | null;
      readonly tool_plan?: unknown;
      readonly tool_calls?: CohereToolCall | null;
      readonly citations?: CohereCitation | null;
    } | null;
    readonly finish_reason?: unknown;
    readonly usage?: CohereUsage | null;
  } | null;
}

/** Translates a Cohere stream into chat chunks as it arrives. */
export class CohereStreamReader implements StreamReader {
  isDone = false;
  failure: Failure | null = null;
  usage: Usage | null = null;
  readonly output = new OutputMeter(findDeltaTexts);

  readonly #modelJson: string;
  readonly #wantsUsage: boolean;
  #carry = "";
  #head = "";
  #hasSpoken = false;
  #calls = 0;
  /** True if the current tool call has arguments. */
  #hasArguments = true;

  constructor(call: TranslatedCall<ChatRequest>) {
    this.#modelJson = call.model.shownJson;
    this.#wantsUsage = call.wantsUsage;
  }

  push(text: string): string {
    const all = this.#carry === "" ? text : this.#carry + text;
    let relayed = "";
    let start = 0;
    for (let end = all.indexOf("\n"); end >= 0; end = all.indexOf("\n", start)) {
      if (all.startsWith("data:", start)) relayed += this.#readData(all.slice(start + "data:".length, end).trim());
      start = end + 1;
      if (this.isDone || this.failure !== null) break;
    }
    this.#carry = start === 0 ? all : all.slice(start);
    if (this.#carry.length > MAX_FRAME_BYTES) this.failure ??= new OversizedEvent();
    if (relayed !== "") this.output.add(relayed);
    return relayed;
  }

  end(): string {
    if (this.isDone || this.failure !== null) return "";
    const last = this.push("\n");
    if (!this.isDone) this.failure ??= unreadable("The model's response ended before it was complete.");
    return last;
  }

  #readData(data: string): string {
    // Some intermediate gateways add the closing frame of the chat format.
    if (data === "" || data === "[DONE]") return "";
    const event = parse(data);
    if (event === null) {
      this.failure = unreadable("The model sent an invalid response.");
      return "";
    }
    if (this.#head === "") this.#begin(event.id);
    return this.#readEvent(event, data);
  }

  #readEvent({ type, message: text, delta }: StreamEvent, data: string): string {
    const message = delta?.message;
    switch (type) {
      case "content-start":
      case "content-delta":
        return this.#readContent(message?.content);
      case "tool-plan-delta":
        return this.#say("content", message?.tool_plan);
      case "tool-call-start":
        return this.#openCall(message?.tool_calls);
      case "tool-call-delta":
        return this.#appendArguments(message?.tool_calls?.function?.arguments);
      case "tool-call-end":
        // If a tool call has no arguments, send an empty object so that the arguments are valid JSON.
        return this.#hasArguments ? "" : this.#appendArguments("{}");
      case "citation-start":
        return this.#cite(message?.citations);
      case "message-end":
        return this.#finish(delta?.finish_reason, delta?.usage);
      default:
        // An error event has the same format as an error response. Unknown events are ignored.
        if (type === undefined && typeof text === "string") this.failure = readCohereFailure(500, {}, data);
        return "";
    }
  }

  #begin(id: unknown): void {
    const created = Math.floor(Date.now() / 1_000);
    const idJson = toJsonBytes(chatId(id));
    this.#head = `data: {"id":${idJson},"object":"chat.completion.chunk","created":${created},"model":${this.#modelJson}`;
  }

  #readContent(content: CohereContent | null | undefined): string {
    if (typeof content?.thinking === "string") return this.#say("reasoning_content", content.thinking);
    return this.#say("content", content?.text);
  }

  #say(name: "content" | "reasoning_content", text: unknown): string {
    return typeof text === "string" && text !== "" ? this.#delta({ [name]: text }) : "";
  }

  #openCall(call: CohereToolCall | null | undefined): string {
    const given = call?.function?.arguments;
    const opening = {
      index: this.#calls,
      id: String(call?.id),
      type: "function",
      function: { name: String(call?.function?.name), arguments: typeof given === "string" ? given : "" },
    };
    this.#calls += 1;
    this.#hasArguments = opening.function.arguments !== "";
    return this.#delta({ tool_calls: [opening] });
  }

  #appendArguments(text: unknown): string {
    if (typeof text !== "string" || text === "" || this.#calls === 0) return "";
    this.#hasArguments = true;
    return this.#delta({ tool_calls: [{ index: this.#calls - 1, function: { arguments: text } }] });
  }

  #cite(citation: CohereCitation | null | undefined): string {
    const annotations = readAnnotations([citation ?? null]);
    return annotations.length === 0 ? "" : this.#delta({ annotations });
  }

  #finish(reason: unknown, raw: CohereUsage | null | undefined): string {
    this.usage = readCohereUsage(raw);
    if (isBroken(reason)) {
      this.failure = truncatedResponse(reason);
      return "";
    }
    this.isDone = true;
    const opening = this.#hasSpoken ? "" : this.#delta({ content: "" });
    const finish = { index: 0, delta: {}, finish_reason: finishReasonOf(reason, this.#calls > 0), logprobs: null };
    return opening + this.#chunk(finish) + this.#usageFrame() + DONE;
  }

  #usageFrame(): string {
    if (!this.#wantsUsage || this.usage === null) return "";
    return `${this.#head},"choices":[],"usage":${toJsonBytes(publicUsage(this.usage))}}\n\n`;
  }

  #delta(delta: object): string {
    const role = this.#hasSpoken ? {} : { role: "assistant" };
    this.#hasSpoken = true;
    return this.#chunk({ index: 0, delta: { ...role, ...delta }, finish_reason: null, logprobs: null });
  }

  #chunk(choice: object): string {
    // For clients that requested usage, every chunk except the last has a null `usage`.
    return `${this.#head},"choices":[${toJsonBytes(choice)}]${this.#wantsUsage ? ',"usage":null' : ""}}\n\n`;
  }
}

function parse(data: string): StreamEvent | null {
  try {
    const event: unknown = JSON.parse(Buffer.from(data, "latin1").toString("utf8"));
    return typeof event === "object" ? event : null;
  } catch {
    return null;
  }
}

function unreadable(message: string): Failure {
  return new Failure("bad_gateway", message);
}
