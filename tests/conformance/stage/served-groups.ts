/** Upstream credential that is configured in the instance. */
export const UPSTREAM_KEY = "upstream-credential-canary";

/** A model group that the scripted upstream serves, and the upstream's own model name. */
export const SCRIPTED_GROUP = "scripted";
export const SCRIPTED_MODEL = "scripted-upstream";

/** Groups whose deployments take the caller's own key. */
export const OWN_KEY_GROUP = "own-key";
export const OWN_KEY_VECTORS = "own-key-vectors";
const ownKey = { configurable_clientside_auth_params: ["api_key"] };

const tokenPrices = { input_cost_per_token: 1e-7, output_cost_per_token: 4e-7 };

/**
 * Returns the settings file: one group for each upstream API and each kind of model, all with scripted upstreams.
 * `shared` contains extra parameters for all groups.
 */
export function describeSettings(scriptedOrigin: string, wiresOrigin: string, shared: object = {}): string {
  const wire = (group: string, model: string, base: string) =>
    deployment(group, model, `${wiresOrigin}${base}`, shared);
  return JSON.stringify({
    model_list: [
      // The model needs a price, because development mode also bills credit. This deployment aborts on disconnect, so
      // that the upstream can observe a client that disconnects.
      deployment(SCRIPTED_GROUP, `openai_compatible/${SCRIPTED_MODEL}`, `${scriptedOrigin}/v1`, {
        ...tokenPrices,
        on_disconnect: "abort",
      }),
      wire("gpt", "openai/gpt-4o-mini", "/v1"),
      wire("claude", "anthropic/claude-sonnet-4-5", ""),
      wire("flash", "gemini/gemini-2.5-flash", "/v1beta"),
      deployment("rock", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", wiresOrigin),
      wire("cloud", "vertex_ai/gemini-2.5-flash", ""),
      wire("cloud-claude", "vertex_ai/claude-sonnet-4-5@20250929", ""),
      { ...wire("responder", "openai/gpt-4.1", "/v1"), model_info: { mode: "responses" } },
      wire("instruct", "openai/gpt-3.5-turbo-instruct", "/v1"),
      wire("vectors", "openai/text-embedding-3-small", "/v1"),
      wire("gemini-vectors", "gemini/gemini-embedding-001", "/v1beta"),
      wire("moderator", "openai/omni-moderation-latest", "/v1"),
      wire("voice", "openai/tts-1", "/v1"),
      wire("listener", "openai/whisper-1", "/v1"),
      wire("painter", "openai/dall-e-3", "/v1"),
      wire("sorter", "cohere/rerank-v3.5", ""),
      deployment(OWN_KEY_GROUP, "openai/gpt-4o-mini", `${wiresOrigin}/v1`, { ...shared, ...ownKey }),
      deployment(OWN_KEY_VECTORS, "openai/text-embedding-3-small", `${wiresOrigin}/v1`, { ...shared, ...ownKey }),
    ],
    // The state of a deployment after one request must not affect the next request, because all responses are compared.
    router_settings: { num_retries: 0, disable_cooldowns: true },
  });
}

function deployment(group: string, model: string, apiBase: string, more: object = {}): object {
  return { model_name: group, litellm_params: { model, api_base: apiBase, api_key: UPSTREAM_KEY, ...more } };
}
