import { Failure } from "@tollgate/contracts/failures.ts";
import { isRunByClient } from "../../operations/messages/is-run-by-client.ts";

/** Fields that make the provider charge for something other than the requested model's tokens. */
const chargedApart: ReadonlySet<string> = new Set(["speed", "inference_geo", "fallbacks", "mcp_servers", "container"]);

/**
 * Refuses provider-specific fields that change the cost and have no configured price. `place` is the fields' path in
 * error messages. `mayMark` is false if no field can set a cache TTL.
 */
export function refuseUnpriced(fields: Readonly<Record<string, unknown>>, place = "", mayMark = true): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value == null || (name === "speed" && value === "standard")) continue;
    if (chargedApart.has(name) || (name === "tools" && hasChargedTool(value))) throw unpriced(place + name);
    if (name === "context_management" && isCompacting(value)) throw unpriced(place + name);
    if (mayMark && keepsLonger(value)) throw unpriced(`${place}${name}.cache_control.ttl`);
  }
}

function hasChargedTool(tools: unknown): boolean {
  if (!Array.isArray(tools)) return true;
  return tools.some((tool: { readonly type?: unknown } | null) => !isRunByClient(tool?.type));
}

/**
 * Reports whether the provider may compact the prompt. Compaction uses input and output tokens that no limit in the
 * request covers.
 */
function isCompacting(value: unknown): boolean {
  return JSON.stringify(value).includes('"type":"compact');
}

/** Reports whether a cache TTL is longer than the TTL that the price covers. */
function keepsLonger(value: unknown): boolean {
  return typeof value === "object" && /"ttl":"(?!5m")/.test(JSON.stringify(value));
}

function unpriced(param: string): Failure {
  return new Failure(
    "unsupported_parameter",
    "The provider bills this separately, and no price is configured for it.",
    {
      param,
    },
  );
}
