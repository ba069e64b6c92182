import type { AssistantFields, RunFields } from "./records.ts";

/** An assistant with only a model set. */
export const plainAssistant: AssistantFields = {
  name: null,
  description: null,
  instructions: null,
  model: "sim/echo",
  tools: [],
  tool_resources: null,
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: "auto",
  reasoning_effort: null,
};

/** A run with default values. */
export const plainRun: RunFields = {
  model: "sim/echo",
  instructions: "Be brief.",
  tools: [],
  metadata: {},
  temperature: 1,
  top_p: 1,
  max_prompt_tokens: null,
  max_completion_tokens: null,
  truncation_strategy: { type: "auto", last_messages: null },
  tool_choice: "auto",
  parallel_tool_calls: true,
  response_format: "auto",
  reasoning_effort: null,
  required: null,
  lastError: null,
  incompleteReason: null,
};
