const everyModel: readonly string[] = [
  "frequency_penalty",
  "max_completion_tokens",
  "max_tokens",
  "presence_penalty",
  "response_format",
  "seed",
  "stop",
  "stream",
  "stream_options",
  "temperature",
  "tool_choice",
  "tools",
  "top_p",
  "user",
];
const thinkingModels: readonly string[] = [...everyModel, "reasoning_effort"];

/** Returns the chat parameters that a model supports. */
export function supportedChatParams(upstreamModel: string): readonly string[] {
  return upstreamModel.includes("reasoning") ? thinkingModels : everyModel;
}
