import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";

/** What calls are made to. Each is the same upstream at another price, with another habit. */
export type ModelName = "told" | "silent" | "exact" | "wild" | "paired";

/** Pico-USD per token: what the settings file says, and what the reconciler charges by. */
export const PRICES: Readonly<Record<ModelName, Price>> = {
  // Says what was used, as most providers do.
  told: tokenPrice(1_000_000n, 4_000_000n),
  // Never says what was used, so the gateway counts. Its prompts are free, which leaves nothing to argue about.
  silent: tokenPrice(0n, 4_000_000n),
  // Uses exactly what its caller allowed, so that a call costs what was set aside for it.
  exact: tokenPrice(0n, 10_000_000n),
  // Served by an upstream that misbehaves when it is told to.
  wild: tokenPrice(0n, 4_000_000n),
  // Served by that one and by one that never does, in turn.
  paired: tokenPrice(0n, 4_000_000n),
};

/** How many tokens of prompt the upstream says it read. */
export const REPORTED_INPUT_TOKENS = 12;

/** The upstream's words; each is one token with the blank before it. */
export const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

const names = Object.keys(PRICES) as ModelName[];

/** How long the wild upstream may take for an answer, and be silent within one. */
export const WILD_TIMEOUT_SECONDS = 4;
export const WILD_SILENCE_SECONDS = 2;

/** The part of a settings file that offers these models at these prices. */
export function writeModelList(upstreamUrl: string, wildUrl: string): string {
  const tame = names.filter((name) => name !== "wild").map((name) => writeEntry(name, upstreamUrl, []));
  const limits = [`timeout: ${WILD_TIMEOUT_SECONDS}`, `stream_timeout: ${WILD_SILENCE_SECONDS}`];
  const wild = (["wild", "paired"] as const).map((name) => writeEntry(name, wildUrl, limits));
  return ["model_list:", ...tame, ...wild].join("\n");
}

function writeEntry(name: ModelName, url: string, more: readonly string[]): string {
  const params = [
    `model: hosted_vllm/${name}`,
    `api_base: ${url}/v1`,
    "api_key: none",
    `input_cost_per_token: ${toUsd(PRICES[name].input)}`,
    `output_cost_per_token: ${toUsd(PRICES[name].output)}`,
    ...more,
  ];
  return [`  - model_name: ${name}`, "    litellm_params:", ...params.map((line) => `      ${line}`)].join("\n");
}

/** Pico-USD as USD, in digits that are exact. */
function toUsd(pico: bigint): string {
  return `0.${pico.toString().padStart(12, "0")}`;
}
