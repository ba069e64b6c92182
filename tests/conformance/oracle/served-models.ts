/** Upstream credential that is configured in both gateways. */
export const UPSTREAM_KEY = "upstream-credential-canary";

/**
 * Returns the model settings for both gateways: the same model groups and deployments, all with one scripted upstream.
 */
export function describeModels(origin: string): readonly object[] {
  return [
    ...openAiModels.map(([group, model]) => deployment(group, `openai/${model}`, `${origin}/v1`)),
    deployment("claude", "anthropic/claude-sonnet-4-5", origin),
    deployment("flash", "gemini/gemini-2.5-flash", `${origin}/v1beta`),
    deployment("lenient", "anthropic/claude-sonnet-4-5", origin, { drop_params: true }),
    // LiteLLM's utility operations recognize models only by these names.
    deployment("openai/gpt-4o-mini", "openai/gpt-4o-mini", `${origin}/v1`),
    deployment("anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", origin),
    deployment("gemini/gemini-2.5-flash", "gemini/gemini-2.5-flash", `${origin}/v1beta`),
    deployment("limited", "openai/gpt-4o-mini", `${origin}/v1`, { rpm: 60, tpm: 90_000 }),
    deployment("limited", "openai/gpt-4o", `${origin}/v1`, { rpm: 30, tpm: 10_000 }, "limited-2"),
    deployment("sorter", "cohere/rerank-v3.5", origin),
    deployment("groq/*", "groq/*", `${origin}/v1`, {}, "any-groq"),
  ];
}

const openAiModels = [
  ["chat", "gpt-4o-mini"],
  ["instruct", "gpt-3.5-turbo-instruct"],
  ["embed", "text-embedding-3-small"],
  ["omni-moderation-latest", "omni-moderation-latest"],
  ["voice", "tts-1"],
  ["whisper", "whisper-1"],
  ["image", "dall-e-3"],
] as const;

function deployment(group: string, model: string, apiBase: string, more: object = {}, id: string = group): object {
  return {
    model_name: group,
    litellm_params: { model, api_base: apiBase, api_key: UPSTREAM_KEY, ...more },
    model_info: { id, access_groups: group === "chat" || group === "claude" ? ["beta"] : [] },
  };
}
