import { entraCredentialSource, entraLayer, isDatedVersion, prepareAzure } from "../azure/azure.ts";
import { anyValue } from "../compile-fields.ts";
import { fromMistral, withoutEmptyChoices, withReasonForTools } from "./fit-answer.ts";
import { fitReasoning, messagesForMistral, refusedByReasoning, withoutReasoning } from "./fit-request.ts";
import { noForcedTools, onlyAutoTools, requiredAsAny } from "./fit-values.ts";
import type { OpenAiWire } from "./wire.ts";

const chat = ["chat.completions"] as const;
const texts = ["chat.completions", "completions", "embeddings"] as const;
/** All operations that the OpenAI format supports. */
const everyOperation = [
  ...texts,
  "moderations",
  "audio.speech",
  "audio.transcriptions",
  "images.generations",
  "responses",
] as const;

const usual = [
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "response_format",
  "user",
] as const;
const penalties = ["frequency_penalty", "presence_penalty"] as const;
const logprobs = ["logprobs", "top_logprobs"] as const;
const sampling = [...usual, ...penalties, "seed", "n", "logit_bias", ...logprobs] as const;
const oldLimit = { max_completion_tokens: "max_tokens" } as const;

/** OpenAI itself, and upstreams that accept the same requests. */
const openAiAndAlike: readonly OpenAiWire[] = [
  {
    name: "openai",
    apiBase: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    operations: everyOperation,
    refuses: refusedByReasoning,
    outputLimitParam: "max_completion_tokens",
    fitParams: fitReasoning,
    fitMessages: withoutReasoning,
    takesTokens: true,
    hasResponses: isAtOpenAi,
  },
  {
    name: "azure",
    apiBase: null,
    keyVariable: "AZURE_API_KEY",
    otherKeyVariables: ["AZURE_OPENAI_API_KEY"],
    operations: [...texts, "audio.speech", "audio.transcriptions", "images.generations", "responses"],
    prepare: prepareAzure,
    layerOf: entraLayer,
    credentialSourceOf: entraCredentialSource,
    // Microsoft's library reads its own variables for these.
    optionVariables: [{ azure_ad_token: [], tenant_id: [], client_id: [], client_secret: [] }],
    hasResponses: ({ apiVersion }) => !isDatedVersion(apiVersion),
    refuses: refusedByReasoning,
    outputLimitParam: "max_completion_tokens",
    fitParams: fitReasoning,
    fitMessages: withoutReasoning,
    fitAnswer: withoutEmptyChoices,
    takesTokens: true,
  },
  {
    name: "openai_compatible",
    apiBase: null,
    keyVariable: null,
    operations: [...everyOperation, "rerank"],
    readsCacheMarks: true,
    completesText: true,
    takesTokens: true,
  },
  {
    name: "litellm_proxy",
    apiBase: null,
    keyVariable: "LITELLM_PROXY_API_KEY",
    operations: [...everyOperation, "rerank"],
    readsCacheMarks: true,
    takesTokens: true,
  },
  {
    name: "openrouter",
    apiBase: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    otherKeyVariables: ["OR_API_KEY"],
    operations: texts,
    readsCacheMarks: true,
    saysReasoning: true,
    reportsCost: true,
    // These headers identify the app in OpenRouter's rankings.
    requestHeaders: { "http-referer": anyValue, "x-title": anyValue },
  },
  {
    name: "github",
    apiBase: "https://models.github.ai/inference",
    keyVariable: "GITHUB_API_KEY",
    operations: ["chat.completions", "embeddings"],
    takes: [...usual, ...penalties, "seed", "parallel_tool_calls", "reasoning_effort", "modalities"],
    refuses: refusedByReasoning,
    fitParams: fitReasoning,
    fitMessages: withoutReasoning,
  },
];

/** Self-hosted servers. */
const ownServers: readonly OpenAiWire[] = [
  {
    name: "hosted_vllm",
    apiBase: null,
    keyVariable: "HOSTED_VLLM_API_KEY",
    operations: [...texts, "audio.transcriptions", "rerank", "responses"],
    readsCacheMarks: true,
    completesText: true,
    takesTokens: true,
    saysReasoning: true,
  },
  {
    name: "ollama",
    apiBase: "http://localhost:11434/v1",
    keyVariable: "OLLAMA_API_KEY",
    operations: texts,
    version: "/v1",
    takes: [...usual, ...penalties, "seed", ...logprobs, "reasoning_effort"],
    renames: oldLimit,
    fitParams: onlyAutoTools,
    saysReasoning: true,
    completesText: true,
  },
  {
    name: "lm_studio",
    apiBase: "http://localhost:1234/v1",
    keyVariable: "LM_STUDIO_API_KEY",
    operations: texts,
    takes: [...usual, ...penalties, "seed", "logit_bias", "reasoning_effort"],
    renames: oldLimit,
    saysReasoning: true,
    completesText: true,
  },
];

/** Providers that host models from many vendors. */
const hosts: readonly OpenAiWire[] = [
  {
    name: "groq",
    apiBase: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    operations: ["chat.completions", "audio.speech", "audio.transcriptions"],
    takes: [
      ...usual,
      ...penalties,
      "seed",
      "parallel_tool_calls",
      "reasoning_effort",
      "functions",
      "function_call",
      "service_tier",
    ],
    saysReasoning: true,
    transcriptFormats: ["json", "text", "verbose_json"],
    hidesDuration: true,
    // From https://console.groq.com/docs/speech-to-text: the minimum billed length is ten seconds.
    leastBilledMs: 10_000,
  },
  {
    name: "together_ai",
    apiBase: "https://api.together.xyz/v1",
    keyVariable: "TOGETHERAI_API_KEY",
    otherKeyVariables: ["TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"],
    operations: [...texts, "audio.speech", "audio.transcriptions", "images.generations", "rerank"],
    takes: [...usual, ...penalties, "seed", "n", "logit_bias", "reasoning_effort"],
    renames: oldLimit,
    saysReasoning: true,
    completesText: true,
    transcriptFormats: ["json", "verbose_json"],
    hidesDuration: true,
  },
  {
    name: "fireworks_ai",
    apiBase: "https://api.fireworks.ai/inference/v1",
    keyVariable: "FIREWORKS_AI_API_KEY",
    otherKeyVariables: ["FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"],
    operations: [...texts, "rerank"],
    upstreamName: (model) => (model.includes("/") ? model : `accounts/fireworks/models/${model}`),
    takes: [...sampling, "parallel_tool_calls", "reasoning_effort"],
    renames: oldLimit,
    developerIsSystem: true,
    completesText: true,
  },
  {
    name: "nvidia_nim",
    apiBase: "https://integrate.api.nvidia.com/v1",
    keyVariable: "NVIDIA_NIM_API_KEY",
    operations: texts,
    takes: [...usual, ...penalties, "seed", "parallel_tool_calls", "reasoning_effort"],
    renames: oldLimit,
    saysReasoning: true,
  },
  {
    name: "cerebras",
    apiBase: "https://api.cerebras.ai/v1",
    keyVariable: "CEREBRAS_API_KEY",
    operations: ["chat.completions", "completions"],
    takes: [...usual, "seed", ...logprobs, "parallel_tool_calls", "reasoning_effort"],
    outputLimitParam: "max_completion_tokens",
    saysReasoning: true,
    completesText: true,
  },
  {
    name: "sambanova",
    apiBase: "https://api.sambanova.ai/v1",
    keyVariable: "SAMBANOVA_API_KEY",
    operations: ["chat.completions", "embeddings"],
    takes: [...usual, "parallel_tool_calls", "reasoning_effort"],
    renames: oldLimit,
    saysReasoning: true,
  },
  {
    name: "deepinfra",
    apiBase: "https://api.deepinfra.com/v1/openai",
    keyVariable: "DEEPINFRA_API_KEY",
    operations: texts,
    takes: [...sampling, "parallel_tool_calls", "reasoning_effort", "functions", "function_call"],
    renames: oldLimit,
    developerIsSystem: true,
    completesText: true,
  },
  {
    name: "novita",
    apiBase: "https://api.novita.ai/v3/openai",
    keyVariable: "NOVITA_API_KEY",
    operations: texts,
    takes: sampling,
    renames: oldLimit,
    developerIsSystem: true,
    completesText: true,
  },
  {
    name: "hyperbolic",
    apiBase: "https://api.hyperbolic.xyz/v1",
    keyVariable: "HYPERBOLIC_API_KEY",
    operations: ["chat.completions", "completions"],
    takes: sampling,
    renames: oldLimit,
    developerIsSystem: true,
  },
  {
    name: "nebius",
    apiBase: "https://api.studio.nebius.ai/v1",
    keyVariable: "NEBIUS_API_KEY",
    operations: texts,
    takes: sampling,
    renames: oldLimit,
    developerIsSystem: true,
  },
  {
    name: "lambda_ai",
    apiBase: "https://api.lambda.ai/v1",
    keyVariable: "LAMBDA_API_KEY",
    operations: ["chat.completions", "completions"],
    takes: sampling,
    renames: oldLimit,
    developerIsSystem: true,
  },
];

/** Providers that host their own models. */
const makers: readonly OpenAiWire[] = [
  {
    name: "mistral",
    apiBase: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    operations: ["chat.completions", "embeddings"],
    version: "/v1",
    takes: [
      ...usual.filter((name) => name !== "user"),
      ...penalties,
      "seed",
      "n",
      "parallel_tool_calls",
      "prediction",
      "reasoning_effort",
    ],
    renames: { ...oldLimit, seed: "random_seed" },
    fitParams: requiredAsAny,
    fitMessages: messagesForMistral,
    alwaysSendsUsage: true,
    fitAnswer: fromMistral,
  },
  {
    name: "deepseek",
    apiBase: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    operations: chat,
    takes: [...usual, ...penalties, ...logprobs, "reasoning_effort"],
    renames: oldLimit,
    developerIsSystem: true,
  },
  {
    name: "xai",
    apiBase: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    operations: [...chat, "responses"],
    takes: [...sampling, "parallel_tool_calls", "reasoning_effort"],
    refuses: refusedByGrok,
    developerIsSystem: true,
    reportsCost: true,
    fitAnswer: withReasonForTools,
  },
  {
    name: "perplexity",
    apiBase: "https://api.perplexity.ai",
    keyVariable: "PERPLEXITYAI_API_KEY",
    otherKeyVariables: ["PERPLEXITY_API_KEY"],
    operations: chat,
    reportsCost: true,
    takes: [
      "temperature",
      "top_p",
      "max_tokens",
      "max_completion_tokens",
      "stream",
      "stream_options",
      "response_format",
      ...penalties,
      "reasoning_effort",
      "web_search_options",
    ],
    renames: oldLimit,
    developerIsSystem: true,
    alwaysSendsUsage: true,
  },
  {
    name: "moonshot",
    apiBase: "https://api.moonshot.ai/v1",
    keyVariable: "MOONSHOT_API_KEY",
    operations: chat,
    takes: [...usual, ...penalties, "n", "seed"],
    renames: oldLimit,
    fitParams: noForcedTools,
    developerIsSystem: true,
  },
  {
    name: "dashscope",
    apiBase: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariable: "DASHSCOPE_API_KEY",
    operations: ["chat.completions", "embeddings"],
    readsCacheMarks: true,
    takes: [...usual, "presence_penalty", "seed", "n", ...logprobs, "parallel_tool_calls"],
    renames: oldLimit,
    developerIsSystem: true,
  },
  {
    name: "zai",
    apiBase: "https://api.z.ai/api/paas/v4",
    keyVariable: "ZAI_API_KEY",
    operations: chat,
    takes: usual,
    renames: oldLimit,
    developerIsSystem: true,
  },
];

/**
 * Returns the parameters that a Grok model rejects. Only some of Grok's reasoning models support a reasoning effort.
 */
function refusedByGrok(model: string): readonly string[] {
  const thinks = /grok-(?:3-mini|4|code)/.test(model) && !model.includes("non-reasoning");
  const hasOwnEffort = /^grok-3(?!-mini)|^grok-4(?!\.|-1)/.test(model);
  return [...(thinks ? ["stop", ...penalties] : []), ...(hasOwnEffort ? ["reasoning_effort"] : [])];
}

/**
 * All upstreams with the OpenAI format. Names and variables match LiteLLM's, so that LiteLLM configurations work
 * unchanged.
 */
export const openAiWires: readonly OpenAiWire[] = [...openAiAndAlike, ...ownServers, ...hosts, ...makers];

/** Providers that offer only rerank, in the same format as the other rerank upstreams. */
export const rerankWires: readonly OpenAiWire[] = [
  {
    name: "jina_ai",
    apiBase: "https://api.jina.ai/v1",
    keyVariable: "JINA_AI_API_KEY",
    otherKeyVariables: ["JINA_API_KEY"],
    operations: ["rerank"],
  },
  {
    name: "voyage",
    apiBase: "https://api.voyageai.com/v1",
    keyVariable: "VOYAGE_API_KEY",
    otherKeyVariables: ["VOYAGE_AI_API_KEY"],
    operations: ["rerank"],
    rerank: { topName: "top_k" },
  },
];

/**
 * Reports whether the URL is OpenAI's. Many other servers are configured as `openai` with a different URL, and few of
 * these servers support the Responses API.
 */
function isAtOpenAi({ apiBase }: { readonly apiBase?: string | null }): boolean {
  return apiBase == null || /(?:^|\.)openai\.com$/.test(new URL(apiBase).hostname);
}
