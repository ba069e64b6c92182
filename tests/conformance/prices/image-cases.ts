import type { PriceCase } from "./price-case.ts";

const path = "/v1/images/generations" as const;
const prompt = "A small lighthouse at dusk, with a boat in front of it, as a woodcut.";
const PROMPT_TOKENS = 18n;

interface Drawn {
  readonly quality: string;
  readonly size: string;
  readonly outputTokens: number;
  /** Tokens of the text that the model wrote while it planned the image. */
  readonly textTokens?: number;
}

/** A response of OpenAI's GPT Image models. It names the quality and the size that the provider chose. */
function imageAnswer({ quality, size, outputTokens, textTokens = 0 }: Drawn): object {
  const output = outputTokens + textTokens;
  return {
    created: 1_763_000_000,
    background: "opaque",
    data: [{ b64_json: "iVBORw0KGgo=" }],
    output_format: "png",
    quality,
    size,
    usage: {
      input_tokens: Number(PROMPT_TOKENS),
      input_tokens_details: { image_tokens: 0, text_tokens: Number(PROMPT_TOKENS) },
      output_tokens: output,
      output_tokens_details: { image_tokens: outputTokens, text_tokens: textTokens },
      total_tokens: Number(PROMPT_TOKENS) + output,
    },
  };
}

const openai = { provider: "OpenAI", params: { api_key: "sk-openai" }, path } as const;

/** Cases of images. Apart from the first one, they have the catalog's prices. */
export const imageCases: readonly PriceCase[] = [
  {
    ...openai,
    condition: "images, billed per image",
    model: "openai/painter",
    params: { ...openai.params, output_cost_per_image: 0.02 },
    info: { mode: "image_generation" },
    request: { prompt, n: 2, size: "1024x1024" },
    response: {
      created: 1_763_000_000,
      data: [{ url: "https://images.example/1.png" }, { url: "https://images.example/2.png" }],
    },
    nanoUsd: 40_000_000n,
  },
  {
    ...openai,
    condition: "catalog: image of low quality",
    model: "openai/gpt-image-1",
    request: { prompt, quality: "low", size: "1024x1024" },
    response: imageAnswer({ quality: "low", size: "1024x1024", outputTokens: 272 }),
    nanoUsd: PROMPT_TOKENS * 5_000n + 272n * 40_000n,
  },
  {
    ...openai,
    condition: "catalog: image of high quality, in landscape size",
    model: "openai/gpt-image-1",
    request: { prompt, quality: "high", size: "1536x1024" },
    response: imageAnswer({ quality: "high", size: "1536x1024", outputTokens: 6_208 }),
    nanoUsd: PROMPT_TOKENS * 5_000n + 6_208n * 40_000n,
  },
  {
    ...openai,
    condition: "catalog: image of high quality of the smaller model",
    model: "openai/gpt-image-1-mini",
    request: { prompt, quality: "high", size: "1024x1024" },
    response: imageAnswer({ quality: "high", size: "1024x1024", outputTokens: 4_160 }),
    nanoUsd: PROMPT_TOKENS * 2_000n + 4_160n * 8_000n,
  },
  {
    ...openai,
    condition: "catalog: image with the quality and size that the provider chose",
    model: "openai/gpt-image-1.5",
    request: { prompt },
    response: imageAnswer({ quality: "high", size: "1024x1024", outputTokens: 4_160 }),
    nanoUsd: PROMPT_TOKENS * 5_000n + 4_160n * 32_000n,
  },
  {
    ...openai,
    condition: "catalog: image, and text that the model wrote",
    model: "openai/gpt-image-1.5",
    request: { prompt, quality: "auto", size: "auto" },
    response: imageAnswer({ quality: "medium", size: "1024x1024", outputTokens: 1_056, textTokens: 120 }),
    nanoUsd: PROMPT_TOKENS * 5_000n + 1_056n * 32_000n + 120n * 10_000n,
  },
  {
    provider: "Azure OpenAI",
    condition: "catalog: image of medium quality",
    model: "azure/gpt-image-1",
    params: { api_key: "azure-key", api_version: "2025-04-01-preview" },
    path,
    request: { prompt, quality: "medium", size: "1024x1536" },
    response: imageAnswer({ quality: "medium", size: "1024x1536", outputTokens: 1_584 }),
    nanoUsd: PROMPT_TOKENS * 5_000n + 1_584n * 40_000n,
  },
];
