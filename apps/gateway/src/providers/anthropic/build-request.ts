import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { TranslatedCall, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { leaveOut } from "../../wire/edit-body.ts";
import { requestHeaders } from "../build-request.ts";
import { ANSWER_TOOL, type AnswerFormat, toAnswerFormat } from "./answer-format.ts";
import { type ModelTraits, traitsOf } from "./model-traits.ts";
import { isThinking, toReasoning } from "./reasoning.ts";
import { refuseUnpriced } from "./refuse-unpriced.ts";
import { toSampling } from "./sampling.ts";
import { type Message, toPrompt } from "./to-prompt.ts";
import { type Tools, toTools } from "./to-tools.ts";
import type { Block } from "./wire.ts";

/** Maximum output tokens for a model whose limit is unknown. */
const DEFAULT_MAX_TOKENS = 4_096;
const MAX_USER_ID = 256;
/** Matches email addresses and phone numbers, which the provider rejects as user IDs. */
const personal = /@|^\+?[\d\s().-]{7,}$/;

/** The fields that are translated. All other fields are sent under the same name. */
const translated = new Set<string>([
  "model",
  "messages",
  "metadata",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stop",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "reasoning_effort",
  "thinking",
  "service_tier",
  "user",
  "safety_identifier",
]);

const tiers: Readonly<Record<string, string>> = { auto: "auto", default: "standard_only" };

/** Builds the provider's request for a chat call. */
export function buildMessagesRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const body = buildMessagesBody(call, target, dropped, traitsOf(target.upstreamModel));
  return {
    path: `${target.prepared.path?.prefix ?? "/v1"}/messages`,
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify(body), "utf8"),
  };
}

/** Translates a chat call to the Messages API format, for a model with these traits on any platform. */
export function buildMessagesBody(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  traits: ModelTraits,
): Record<string, unknown> {
  const whole = readableRequest(call.body);
  const request = { ...whole };
  leaveOut(request, dropped);
  if (whole.extra_body != null) refuseUnpriced(whole.extra_body as Record<string, unknown>, target, "extra_body.");
  const body = toBody(request, call, target, traits, whole.drop_params ?? target.dropsParams ?? false);
  return { ...body, ...whole.extra_body };
}

function toBody(
  request: ChatRequest,
  call: TranslatedCall,
  target: UpstreamTarget,
  traits: ModelTraits,
  dropsParams: boolean,
): object {
  const maxTokens = maxTokensOf(request, call, target, dropsParams);
  const keepsLong = target.price?.longCacheWrite != null;
  const asked = toTools(request, traits.writesBySchema, keepsLong);
  const isForced = asked.choice?.type === "any" || asked.choice?.type === "tool";
  const isSaid = request.thinking != null && request.thinking.type !== "disabled";
  const format = toAnswerFormat(request.response_format, traits, isSaid);
  const reasoning = toReasoning(request, traits, maxTokens, isForced || format.kind === "tool");
  const { tools, choice } = withAnswerTool(asked, format);
  const { system, messages } = toPrompt(request.messages as unknown as readonly Message[], keepsLong);
  if (messages.length === 0) {
    throw new Failure("invalid_request", "This model requires a user message.", { param: "messages" });
  }
  const instructed: readonly Block[] =
    format.kind === "prompt" ? [...system, { type: "text", text: format.text }] : system;
  const stop = toStop(request.stop, dropsParams);
  const userId = request.safety_identifier ?? request.user;
  const output = {
    ...(reasoning.effort !== undefined && { effort: reasoning.effort }),
    ...(format.kind === "schema" && { format: { type: "json_schema", schema: format.schema } }),
  };
  return {
    ...untranslated(request, target),
    model: target.upstreamModel,
    max_tokens: maxTokens,
    ...(instructed.length > 0 && { system: instructed }),
    messages,
    ...(tools.length > 0 && { tools }),
    ...(choice !== null && { tool_choice: choice }),
    ...toSampling(request, isThinking(reasoning), dropsParams),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(reasoning.thinking !== undefined && { thinking: reasoning.thinking }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(request.service_tier != null && { service_tier: tiers[request.service_tier] ?? request.service_tier }),
    ...(userId != null && isUserId(userId) && { metadata: { user_id: userId } }),
    ...(call.isStream && { stream: true }),
  };
}

/** Returns the maximum output tokens, which this provider requires in every request. */
function maxTokensOf(
  request: ChatRequest,
  { outputLimit }: TranslatedCall,
  { facts }: UpstreamTarget,
  dropsParams: boolean,
): number {
  const most = facts?.maxOutputTokens ?? null;
  const asked = request.max_completion_tokens ?? request.max_tokens ?? outputLimit;
  if (asked === null) return most ?? DEFAULT_MAX_TOKENS;
  return dropsParams && most !== null ? Math.min(asked, most) : asked;
}

/** Adds the answer tool. The model must then use one of the tools, unless the request sets a tool choice. */
function withAnswerTool({ tools, choice }: Tools, format: AnswerFormat): Tools {
  if (format.kind !== "tool") return { tools, choice };
  const all = [...tools, format.tool];
  if (choice?.type === "tool") return { tools: all, choice };
  const isAlone = tools.length === 0 || choice?.type === "none";
  const forced = isAlone ? ({ type: "tool", name: ANSWER_TOOL } as const) : ({ type: "any" } as const);
  return { tools: all, choice: { ...forced, disable_parallel_tool_use: true } };
}

/** Removes stop sequences that contain only whitespace, because the provider rejects them. */
function toStop(stop: ChatRequest["stop"], dropsParams: boolean): readonly string[] {
  const all = stop == null ? [] : typeof stop === "string" ? [stop] : stop;
  return dropsParams ? all.filter((text) => text.trim() !== "") : all;
}

function isUserId(id: string): boolean {
  return id !== "" && id.length <= MAX_USER_ID && !personal.test(id);
}

function untranslated(request: ChatRequest, target: UpstreamTarget): object {
  const others = Object.fromEntries(
    Object.entries(request).filter(([name, value]) => !translated.has(name) && value !== null),
  );
  refuseUnpriced(others, target);
  return others;
}
