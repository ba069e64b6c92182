import type { CountedUnit } from "@tollgate/domain/pricing/billing-units.ts";
import { countedUnits } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";

/** The unit that a call of a tool is billed by; null if only its tokens are billed. */
type ToolUnit = CountedUnit["name"] | null;

/**
 * Tools that providers run, by their type without a date. A tool that isn't listed is refused, because its price is
 * unknown.
 */
const tools: Readonly<Record<string, ToolUnit>> = {
  web_search: "webSearches",
  web_search_preview: "webSearches",
  live_search: "webSearches",
  google_search: "webSearches",
  google_search_retrieval: "webSearches",
  enterprise_web_search: "webSearches",
  file_search: "fileSearches",
  collections_search: "fileSearches",
  code_interpreter: "codeSessions",
  code_execution: "codeSessions",
  x_search: "toolCalls",
  google_maps: "toolCalls",
};

/** Tools of which a provider bills only the tokens. */
const ownTools: Readonly<Record<string, Readonly<Record<string, ToolUnit>>>> = {
  openai: { mcp: null, computer_use_preview: null, computer: null },
  azure: { mcp: null, computer_use_preview: null, computer: null },
  xai: { mcp: null },
  anthropic: { web_fetch: null, mcp: null, mcp_toolset: null },
  gemini: { code_execution: null, url_context: null },
  vertex_ai: { code_execution: null, url_context: null },
};

/**
 * Number of units that a hold covers for one call of a tool; 1 if it isn't listed. xAI bills X searches by the posts and
 * profiles that they return, and documents no limit. Searches usually return 10 posts, and the posts that these quote.
 */
const unitsPerCall: Readonly<Record<string, number>> = { x_search: 20 };

/** Returns the unit of a tool; undefined if the tool is unknown. */
export function unitOfTool(provider: string, type: string): ToolUnit | undefined {
  const own = ownTools[provider]?.[type];
  return own === undefined ? tools[type] : own;
}

const rowsByUnit = new Map(countedUnits.map((unit) => [unit.name, unit]));

/** The price of a tool on a deployment. */
type ToolPrice =
  | { readonly kind: "priced"; readonly unit: ToolUnit; readonly pico: bigint; readonly unitsPerCall: number }
  | { readonly kind: "unpriced"; readonly setting: string }
  | { readonly kind: "unknown" };

/** Returns the price of a tool's unit, or the setting that is missing. */
export function priceOfTool(provider: string, type: string, price: Partial<Price> | null | undefined): ToolPrice {
  const name = unitOfTool(provider, type);
  if (name === undefined) return { kind: "unknown" };
  if (name === null) return { kind: "priced", unit: null, pico: 0n, unitsPerCall: 1 };
  const unit = rowsByUnit.get(name);
  if (unit === undefined) return { kind: "unknown" };
  const pico = price?.[unit.price] ?? null;
  const [setting = ""] = Object.keys(unit.settings);
  if (pico === null) return { kind: "unpriced", setting };
  return { kind: "priced", unit: name, pico, unitsPerCall: unitsPerCall[type] ?? 1 };
}
