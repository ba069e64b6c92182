import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";

/** Models that the load calls: the same upstream with different prices and quirks. */
export type ModelName = "reporting" | "silent" | "exact" | "wild" | "paired";

/** Prices in pico-USD per token, for the settings file and for reconciliation. */
export const PRICES: Readonly<Record<ModelName, Price>> = {
  // The upstream reports usage, as most providers do.
  reporting: tokenPrice(1_000_000n, 4_000_000n),
  // The upstream never reports usage, so the gateway counts tokens. Input is free, so that only the output count can
  // differ.
  silent: tokenPrice(0n, 4_000_000n),
  // The upstream generates exactly the allowed output, so that a call costs its whole hold.
  exact: tokenPrice(0n, 10_000_000n),
  // Served by an upstream that misbehaves on command.
  wild: tokenPrice(0n, 4_000_000n),
  // Served alternately by the misbehaving upstream and by an upstream that never misbehaves.
  paired: tokenPrice(0n, 4_000_000n),
};

/** Number of prompt tokens that the upstream reports. */
export const REPORTED_INPUT_TOKENS = 12;

/** Words that the upstream sends. Each word is one token, including the space before it. */
export const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

const names = Object.keys(PRICES) as ModelName[];

/** Timeouts for a whole response from the misbehaving upstream, and for a pause within the response. */
export const WILD_TIMEOUT_SECONDS = 4;
export const WILD_SILENCE_SECONDS = 2;

/** Returns the section of a settings file that configures these models at these prices. */
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

/** Converts pico-USD to USD in exact digits. */
function toUsd(pico: bigint): string {
  return `0.${pico.toString().padStart(12, "0")}`;
}
