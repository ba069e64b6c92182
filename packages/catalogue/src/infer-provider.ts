/**
 * Whose model a bare name is. Only services that name their models themselves are here, because a name such as
 * `llama3` says nothing about who serves it, and its price must not come from whichever host is first in the alphabet.
 * A bare Gemini name means Vertex, as in the configuration files we accept.
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

/** Families of names, so that a model released today is found before the catalogue knows it. */
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

/** The provider that a name without a prefix most likely belongs to: the catalogue's answer, else the family's. */
export function inferProvider(bareName: string, isKnown: (id: string) => boolean): string | undefined {
  return findKnownProvider(bareName, isKnown) ?? families.find(([pattern]) => pattern.test(bareName))?.[1];
}

/** The provider that lists the bare name. A name with a slash is not bare: `xai/grok` must never be found as Vertex's `xai/grok`. */
export function findKnownProvider(bareName: string, isKnown: (id: string) => boolean): string | undefined {
  if (bareName.includes("/")) return undefined;
  return bareNameProviders.find((provider) => isKnown(`${provider}/${bareName}`));
}
