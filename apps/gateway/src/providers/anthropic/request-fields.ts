import type { OperationName } from "../../operations/operation-kind.ts";
import { listsOf } from "../openai/request-fields.ts";
import { type RequestFields, unpricedEverywhere } from "../request-fields.ts";
import { isRunByClient } from "./refuse-unpriced.ts";

/**
 * https://platform.claude.com/docs/en/api/messages. What `refuse-unpriced.ts` refuses by its value, such as a prompt
 * cached for an hour, is free here.
 */
export const messageFields: RequestFields = {
  free: [
    "system",
    "temperature",
    "top_k",
    "top_p",
    "stop_sequences",
    "tool_choice",
    "metadata",
    "cache_control",
    "context_management",
    "output_config",
    "output_format",
    "diagnostics",
  ],
  // The provider lets a model think no longer than `max_tokens`.
  counted: ["model", "messages", "max_tokens", "stream", "thinking", "service_tier"],
  only: { speed: ["standard"] },
  unpriced: [
    "inference_geo",
    "container",
    "mcp_servers",
    "compaction",
    "thread",
    "fallbacks",
    "fallback_credit_token",
    "anthropic_beta",
    "betas",
  ],
  isClientTool: ({ type }) => isRunByClient(type),
};

/** The lists of an upstream that serves this wire: its own names, and for other operations those that are translated. */
export function anthropicFields(operation: OperationName): readonly RequestFields[] {
  if (operation === "messages") return [unpricedEverywhere, messageFields];
  const translated = listsOf(operation);
  return operation === "chat.completions" || operation === "completions" ? [messageFields, ...translated] : translated;
}
