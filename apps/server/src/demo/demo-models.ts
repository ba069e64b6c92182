/** A model of the demo. Its price and its limits are the catalog's. */
export interface DemoModel {
  /** Name that callers use, and name of the model group. */
  readonly name: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly endpoint: "chat.completions" | "embeddings";
  /** Simulated model that answers live requests. */
  readonly simulated: string;
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
  /** Median tokens of a request and its response. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Share of the requests whose prompt is partly in the provider's cache. */
  readonly cachedShare: number;
  /** Share of the requests that reason before they respond. */
  readonly reasoningShare: number;
  readonly failureShare: number;
  /** Model group that serves requests when this one fails; null if there is none. */
  readonly fallback: string | null;
}

const chat = { endpoint: "chat.completions", cachedShare: 0, reasoningShare: 0, fallback: null } as const;

export const DEMO_MODELS: readonly DemoModel[] = [
  {
    ...chat,
    name: "gpt-4.1",
    provider: "openai",
    upstreamModel: "gpt-4.1",
    simulated: "lorem?tokens=120&tps=70&ttft=450ms",
    firstTokenMs: 480,
    tokensPerSecond: 75,
    inputTokens: 1_900,
    outputTokens: 340,
    cachedShare: 0.55,
    failureShare: 0.012,
    fallback: "claude-sonnet",
  },
  {
    ...chat,
    name: "gpt-4.1-mini",
    provider: "openai",
    upstreamModel: "gpt-4.1-mini",
    simulated: "lorem?tokens=90&tps=120&ttft=280ms",
    firstTokenMs: 290,
    tokensPerSecond: 130,
    inputTokens: 1_200,
    outputTokens: 210,
    cachedShare: 0.4,
    failureShare: 0.006,
  },
  {
    ...chat,
    name: "claude-sonnet",
    provider: "openrouter",
    upstreamModel: "anthropic/claude-sonnet-4.5",
    simulated: "lorem?tokens=160&tps=60&ttft=700ms",
    firstTokenMs: 820,
    tokensPerSecond: 62,
    inputTokens: 2_600,
    outputTokens: 520,
    cachedShare: 0.6,
    failureShare: 0.015,
    fallback: "deepseek-chat",
  },
  {
    ...chat,
    name: "deepseek-chat",
    provider: "deepseek",
    upstreamModel: "deepseek-chat",
    simulated: "lorem?tokens=140&tps=35&ttft=1200ms",
    firstTokenMs: 1_350,
    tokensPerSecond: 34,
    inputTokens: 1_500,
    outputTokens: 480,
    cachedShare: 0.35,
    reasoningShare: 0.25,
    failureShare: 0.02,
  },
  {
    ...chat,
    name: "mistral-medium",
    provider: "mistral",
    upstreamModel: "mistral-medium-latest",
    simulated: "lorem?tokens=100&tps=80&ttft=350ms",
    firstTokenMs: 390,
    tokensPerSecond: 82,
    inputTokens: 900,
    outputTokens: 260,
    failureShare: 0.01,
  },
  {
    ...chat,
    name: "llama-3.3-70b",
    provider: "groq",
    upstreamModel: "llama-3.3-70b-versatile",
    simulated: "lorem?tokens=110&tps=250&ttft=120ms",
    firstTokenMs: 140,
    tokensPerSecond: 270,
    inputTokens: 800,
    outputTokens: 240,
    failureShare: 0.008,
    fallback: "mistral-medium",
  },
  {
    ...chat,
    name: "gpt-oss-120b",
    provider: "groq",
    upstreamModel: "openai/gpt-oss-120b",
    simulated: "lorem?tokens=110&tps=400&ttft=160ms",
    firstTokenMs: 180,
    tokensPerSecond: 430,
    inputTokens: 1_100,
    outputTokens: 380,
    reasoningShare: 0.7,
    failureShare: 0.008,
  },
  {
    name: "text-embedding-3-small",
    provider: "openai",
    upstreamModel: "text-embedding-3-small",
    endpoint: "embeddings",
    simulated: "embed",
    firstTokenMs: 90,
    tokensPerSecond: 0,
    inputTokens: 640,
    outputTokens: 0,
    cachedShare: 0,
    reasoningShare: 0,
    failureShare: 0.003,
    fallback: null,
  },
];

/** Returns the part of the settings that serves the demo's models from the simulated provider at this URL. */
export function demoModelSettings(upstreamUrl: string) {
  return {
    modelList: DEMO_MODELS.map(({ name, provider, upstreamModel }) => ({
      model_name: name,
      litellm_params: { model: `${provider}/${upstreamModel}`, api_base: upstreamUrl, api_key: "demo" },
      model_info: { id: deploymentIdOf(name) },
    })),
    fallbacks: DEMO_MODELS.flatMap(({ name, fallback }) => (fallback === null ? [] : [{ [name]: [fallback] }])),
  };
}

/** Returns the ID of a model's only deployment. It is the same on every start, although the URL has another port. */
export const deploymentIdOf = (name: string): string => `demo-${name}`;
