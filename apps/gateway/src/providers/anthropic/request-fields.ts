import type { OperationName } from "../../call/operation-traits.ts";
import type { RequestFields } from "../../call/request-fields.ts";
import { isRunByClient } from "../../operations/messages/is-run-by-client.ts";
import { unpricedEverywhere } from "../compile-fields.ts";
import { listsOf } from "../openai/request-fields.ts";

/**
 * Fields from https://platform.claude.com/docs/en/api/messages. Fields that `refuse-unpriced.ts` refuses only with some
 * values, such as a one-hour cache TTL, are listed as free.
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
  // The provider limits thinking to `max_tokens`.
  counted: ["model", "messages", "max_tokens", "stream", "thinking", "service_tier"],
  tiers: ["speed"],
  regions: ["inference_geo"],
  // A container runs code. Tools of an MCP server cost only their tokens.
  runs: { container: "code_execution", mcp_servers: "mcp" },
  unpriced: ["compaction", "thread", "fallbacks", "fallback_credit_token", "anthropic_beta", "betas"],
  isClientTool: ({ type }) => isRunByClient(type),
  reportsToolUse: true,
};

/**
 * Returns the field lists for an upstream with this API. The lists contain the upstream's field names, and the fields
 * of other operations that the gateway translates.
 */
export function anthropicFields(operation: OperationName): readonly RequestFields[] {
  if (operation === "messages") return [unpricedEverywhere, messageFields];
  const translated = listsOf(operation);
  return operation === "chat.completions" || operation === "completions" ? [messageFields, ...translated] : translated;
}
