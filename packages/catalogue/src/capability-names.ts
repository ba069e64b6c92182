import type { Capabilities } from "./capabilities.ts";

/** What capabilities are called in the public list of models, beside what model information calls them. */
const flagsByName = {
  tools: "supports_function_calling",
  parallel_tools: "supports_parallel_function_calling",
  json_schema: "supports_response_schema",
  vision: "supports_vision",
  web_search: "supports_web_search",
  reasoning: "supports_reasoning",
} as const satisfies Record<string, keyof Capabilities>;

/** The public names of what a model can do. */
export function nameCapabilities(capabilities: Capabilities): readonly string[] {
  return Object.entries(flagsByName).flatMap(([name, flag]) => (capabilities[flag] ? [name] : []));
}

/** What public names mean; what they do not name is not there. */
export function readCapabilities(names: readonly string[]): Capabilities {
  const entries = Object.entries(flagsByName).map(([name, flag]) => [flag, names.includes(name)]);
  return Object.fromEntries(entries) as Capabilities;
}
