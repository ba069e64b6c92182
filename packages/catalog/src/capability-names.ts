import type { Capabilities } from "./capabilities.ts";

/** Capability names in the public model list, mapped to the names in model information. */
const flagsByName = {
  tools: "supports_function_calling",
  parallel_tools: "supports_parallel_function_calling",
  json_schema: "supports_response_schema",
  vision: "supports_vision",
  web_search: "supports_web_search",
  reasoning: "supports_reasoning",
} as const satisfies Record<string, keyof Capabilities>;

/** Returns the public names of a model's capabilities. */
export function nameCapabilities(capabilities: Capabilities): readonly string[] {
  return Object.entries(flagsByName).flatMap(([name, flag]) => (capabilities[flag] ? [name] : []));
}

/** Converts public names to capability flags. Flags for capabilities that aren't listed are false. */
export function readCapabilities(names: readonly string[]): Capabilities {
  const entries = Object.entries(flagsByName).map(([name, flag]) => [flag, names.includes(name)]);
  return Object.fromEntries(entries) as Capabilities;
}
