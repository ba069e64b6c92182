const modeNames: Readonly<Record<string, string>> = {
  chat: "Chat",
  completion: "Completion",
  responses: "Responses",
  embedding: "Embedding",
  moderation: "Moderation",
  audio_speech: "Speech",
  audio_transcription: "Transcription",
  image_generation: "Images",
  rerank: "Rerank",
};

/** Returns the display name of a model's mode. */
export function nameMode(mode: string): string {
  return modeNames[mode] ?? nameWord(mode);
}

const providerNames: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  azure: "Azure",
  anthropic: "Anthropic",
  bedrock: "Bedrock",
  gemini: "Google",
  vertex_ai: "Vertex AI",
  hosted_vllm: "vLLM",
  mistral: "Mistral",
  deepseek: "DeepSeek",
  groq: "Groq",
  voyage: "Voyage",
  openrouter: "OpenRouter",
  xai: "xAI",
  sim: "Simulated",
};

/** Returns the display name of a provider. */
export function nameProvider(provider: string): string {
  return providerNames[provider] ?? nameWord(provider);
}

function nameWord(word: string): string {
  const spaced = word.replaceAll("_", " ");
  return spaced.slice(0, 1).toUpperCase() + spaced.slice(1);
}
