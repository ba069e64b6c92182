import type { Model } from "./model.ts";

const printed = [
  "vision",
  "function_calling",
  "parallel_function_calling",
  "response_schema",
  "web_search",
  "reasoning",
] as const;

export type Capabilities = { readonly [name in (typeof printed)[number] as `supports_${name}`]: boolean };

/** Returns the capability flags as printed in model information; false for capabilities that the model doesn't list. */
export function describeCapabilities(model: Model): Capabilities {
  const entries = printed.map((name) => [`supports_${name}`, model.supports.includes(name)]);
  return Object.fromEntries(entries) as Capabilities;
}
