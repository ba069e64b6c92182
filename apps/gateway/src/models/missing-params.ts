import type { Feature } from "@tollgate/catalog/feature-rules.ts";
import type { ModelCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import type { OperationName } from "../call/operation-traits.ts";

type ParamsByOperation = Readonly<Partial<Record<OperationName, readonly string[]>>>;

/**
 * Parameters that need a feature, by operation. Features that depend on the content of a request, such as images, have
 * no parameters.
 */
const paramsByFeature: Readonly<Record<Feature, ParamsByOperation>> = {
  tools: {
    "chat.completions": ["tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"],
    messages: ["tools", "tool_choice"],
    responses: ["tools", "tool_choice", "parallel_tool_calls", "max_tool_calls"],
  },
  parallel_tools: { "chat.completions": ["parallel_tool_calls"], responses: ["parallel_tool_calls"] },
  reasoning: { "chat.completions": ["reasoning_effort"], responses: ["reasoning"] },
  thinking: { "chat.completions": ["thinking"] },
  verbosity: { "chat.completions": ["verbosity"] },
  audio_output: { "chat.completions": ["audio"] },
  vision: {},
  audio_input: {},
  response_schema: {},
};

/** Features that the content of a request may need, as bits. */
export const VISION = 1;
export const AUDIO_INPUT = 2;
export const RESPONSE_SCHEMA = 4;

const bits: Readonly<Partial<Record<Feature, number>>> = {
  vision: VISION,
  audio_input: AUDIO_INPUT,
  response_schema: RESPONSE_SCHEMA,
};

/** Returns the features that the content of a request may need and that a model lacks, as bits. */
export function missingFeatures({ missing }: ModelCapabilities): number {
  return missing.reduce((sum, { feature }) => sum | (bits[feature] ?? 0), 0);
}

/** Returns the parameters of an operation that a model doesn't support, although its provider's API has them. */
export function missingParams({ missing }: ModelCapabilities, operation: OperationName): readonly string[] {
  return missing.flatMap(({ feature }) => paramsByFeature[feature][operation] ?? []);
}
