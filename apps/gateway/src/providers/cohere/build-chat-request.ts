import { type ChatRequest, openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { TranslatedCall, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { leaveOut } from "../../wire/edit-body.ts";
import { operationPath, requestHeaders } from "../build-request.ts";
import { readResponseFormat } from "../read-response-format.ts";
import { supportedChatParams } from "./supported-params.ts";
import { toMessages } from "./to-messages.ts";
import { toTools } from "./to-tools.ts";

/** Fields that the gateway translates, and fields that have no effect upstream. */
const readFields: ReadonlySet<string> = new Set(["model", "messages", "thinking", "metadata", "top_k"]);
/** Upstream fields that were already checked, counted, or priced. Caller-supplied fields must not override them. */
const settledFields: ReadonlySet<string> = new Set(["model", "messages", "stream", "max_tokens", "tools"]);
/** Thinking budgets in tokens. If an effort level has no budget, the model decides how long it thinks. */
const budgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 1_024, medium: 4_096 };

/** Builds the upstream request for a chat call. */
export function buildChatRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const whole = readableRequest(call.body);
  const request = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null)) as ChatRequest;
  leaveOut(request, dropped);
  const body = {
    ...toChat(request, call.outputLimit),
    ...checkedExtras(unreadFields(request, target.upstreamModel), ""),
    ...checkedExtras(whole.extra_body ?? {}, "extra_body."),
    model: target.upstreamModel,
    stream: call.isStream,
  };
  return {
    path: operationPath(target, "/chat"),
    headers: requestHeaders(call, target),
    body: Buffer.from(JSON.stringify(body), "utf8"),
  };
}

function toChat(request: ChatRequest, outputLimit: number | null): Record<string, unknown> {
  const limit = outputLimit ?? request.max_completion_tokens ?? request.max_tokens;
  const { stop } = request;
  const topK = (request as { readonly top_k?: unknown }).top_k;
  return {
    messages: toMessages(request.messages),
    ...toTools(request),
    ...(limit != null && { max_tokens: limit }),
    ...(stop != null && { stop_sequences: typeof stop === "string" ? [stop] : stop }),
    ...(request.temperature != null && { temperature: request.temperature }),
    ...(request.top_p != null && { p: request.top_p }),
    ...(topK != null && { k: topK }),
    ...(request.seed != null && { seed: request.seed }),
    ...(request.frequency_penalty != null && { frequency_penalty: request.frequency_penalty }),
    ...(request.presence_penalty != null && { presence_penalty: request.presence_penalty }),
    ...formatOf(request.response_format),
    ...thinkingOf(request),
  };
}

function formatOf(format: ChatRequest["response_format"]): object {
  const asked = readResponseFormat(format);
  if (asked.kind === "text") return {};
  return { response_format: { type: "json_object", ...(asked.schema !== null && { json_schema: asked.schema }) } };
}

function thinkingOf({ thinking, reasoning_effort: effort }: ChatRequest): object {
  if (thinking != null) {
    const { type, budget_tokens: budget } = thinking;
    return { thinking: { type, ...(budget != null && { token_budget: budget }) } };
  }
  if (effort == null) return {};
  if (effort === "none") return { thinking: { type: "disabled" } };
  const budget = budgets[effort];
  return { thinking: { type: "enabled", ...(budget !== undefined && { token_budget: budget }) } };
}

/**
 * Returns the fields that are sent unchanged: Cohere-specific fields, such as documents, and unsupported fields that
 * were explicitly allowed.
 */
function unreadFields(request: ChatRequest, upstreamModel: string): Record<string, unknown> {
  const supported = supportedChatParams(upstreamModel);
  return Object.fromEntries(
    Object.entries(request).filter(([name]) =>
      openaiChatParams.has(name) ? !supported.includes(name) : !readFields.has(name),
    ),
  );
}

function checkedExtras(extras: object, place: string): object {
  for (const name of Object.keys(extras)) {
    if (!settledFields.has(name)) continue;
    const param = `${place}${name}`;
    throw new Failure("invalid_request", `'${param}' cannot be set in extra_body. Use the request field instead.`, {
      param,
    });
  }
  return extras;
}
