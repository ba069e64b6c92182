import { Failure } from "@tollgate/contracts/failures.ts";

/** What makes the provider charge otherwise than by the tokens of the model that was asked. */
const chargedApart: ReadonlySet<string> = new Set(["speed", "inference_geo", "fallbacks", "mcp_servers", "container"]);

/** Tools without a kind, and those that the client runs itself. The provider charges for running any other. */
const runByClient = /^(?:custom$|bash_|text_editor_|computer_|browser_|memory_)/;

/** Whether the client runs tools of this type. */
export function isRunByClient(type: unknown): boolean {
  return type == null || (typeof type === "string" && runByClient.test(type));
}

/**
 * Refuses what a request asks for in the provider's own words and nobody here has a price for: what is not priced is not
 * free. `place` is where these fields stand, for the refusal; `mayMark` is false where no field says how long to cache.
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

/** A prompt that is shortened on the way is read and answered once more, beyond every limit that the request names. */
function isCompacting(value: unknown): boolean {
  return JSON.stringify(value).includes('"type":"compact');
}

/** Whether a prompt is to be cached for longer than the price of caching is for. */
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
