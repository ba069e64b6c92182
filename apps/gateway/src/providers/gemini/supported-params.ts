import { traitsOf } from "./gemini-traits.ts";

const everyModel: readonly string[] = [
  "function_call",
  "functions",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "modalities",
  "n",
  "parallel_tool_calls",
  "response_format",
  "seed",
  "service_tier",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
  "web_search_options",
];

/** Returns the chat parameters that a model supports. */
export function supportedChatParams(upstreamModel: string): readonly string[] {
  const { thinking, takesPenalties, speaks } = traitsOf(upstreamModel);
  return [
    ...everyModel,
    ...(thinking === "none" ? [] : ["reasoning_effort"]),
    ...(takesPenalties ? ["frequency_penalty", "presence_penalty"] : []),
    ...(speaks ? ["audio"] : []),
  ];
}
