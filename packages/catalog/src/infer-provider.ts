/**
 * Providers of bare names. Only services that name their own models are listed, because a name such as `llama3` doesn't
 * identify its host, and its price must not come from the alphabetically first host. A bare Gemini name means Vertex,
 * as in the configuration files we accept.
 */
const bareNameProviders = [
  "openai",
  "anthropic",
  "vertex_ai",
  "gemini",
  "bedrock",
  "cohere",
  "mistral",
  "deepseek",
  "xai",
] as const;

/** Name families, so that a newly released model is recognized before the catalog lists it. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^(?:ft:)?(?:gpt-|chatgpt-|o\d|text-embedding-3|tts-|whisper-|dall-e-|omni-moderation)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "vertex_ai"],
  [/^(?:anthropic|amazon|meta|cohere|mistral|ai21)\./, "bedrock"],
  [/^(?:[a-z]{2,6}|us-gov)\.(?:anthropic|amazon|meta)\./, "bedrock"],
  [/^(?:command-|rerank-|embed-(?:v\d|english|multilingual))/, "cohere"],
  [/^(?:mistral|ministral|magistral|codestral|devstral|pixtral)-/, "mistral"],
  [/^deepseek-/, "deepseek"],
  [/^grok-/, "xai"],
  [/^sonar(?:-|$)/, "perplexity"],
];

/** Returns the most likely provider of a name without a prefix: from the catalog, or else from the name family. */
export function inferProvider(bareName: string, isKnown: (id: string) => boolean): string | undefined {
  return findKnownProvider(bareName, isKnown) ?? families.find(([pattern]) => pattern.test(bareName))?.[1];
}

/**
 * Returns the provider that lists the bare name. A name with a slash isn't bare: `xai/grok` must not match a Vertex
 * model.
 */
export function findKnownProvider(bareName: string, isKnown: (id: string) => boolean): string | undefined {
  if (bareName.includes("/")) return undefined;
  return bareNameProviders.find((provider) => isKnown(`${provider}/${bareName}`));
}
