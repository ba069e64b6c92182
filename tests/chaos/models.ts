import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";

/** What calls are made to. Each is the same upstream at another price, with another habit. */
export type ModelName = "told" | "silent" | "exact";

/** Pico-USD per token: what the settings file says, and what the reconciler charges by. */
export const PRICES: Readonly<Record<ModelName, Price>> = {
  // Says what was used, as most providers do.
  told: tokenPrice(1_000_000n, 4_000_000n),
  // Never says what was used, so the gateway counts. Its prompts are free, which leaves nothing to argue about.
  silent: tokenPrice(0n, 4_000_000n),
  // Uses exactly what its caller allowed, so that a call costs what was set aside for it.
  exact: tokenPrice(0n, 10_000_000n),
};

/** How many tokens of prompt the upstream says it read. */
export const TOLD_INPUT_TOKENS = 12;

/** The upstream's words; each is one token with the blank before it. */
export const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

const names = Object.keys(PRICES) as ModelName[];

/** The part of a settings file that offers these models at these prices. */
export function writeModelList(upstreamUrl: string): string {
  const entries = names.map((name) =>
    [
      `  - model_name: ${name}`,
      "    litellm_params:",
      `      model: hosted_vllm/${name}`,
      `      api_base: ${upstreamUrl}/v1`,
      "      api_key: none",
      `      input_cost_per_token: ${toUsd(PRICES[name].input)}`,
      `      output_cost_per_token: ${toUsd(PRICES[name].output)}`,
    ].join("\n"),
  );
  return ["model_list:", ...entries].join("\n");
}

/** Pico-USD as USD, in digits that are exact. */
function toUsd(pico: bigint): string {
  return `0.${pico.toString().padStart(12, "0")}`;
}
