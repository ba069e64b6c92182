import { type Mode, modes, type PriceField } from "../src/model.ts";
import type { FlatPrices } from "./flat-prices.ts";
import type { FindListedPrices, ListedRule } from "./read-price-list.ts";
import { scaleDecimal } from "./scale-decimal.ts";

/** One line of the model data, with our provider name. Prices are in pico-USD per token or unit. */
export interface Fact {
  readonly provider: string;
  readonly model: string;
  /** True if the price list prefixes the model name with its provider, as we do. */
  readonly isPrefixed: boolean;
  readonly mode: Mode;
  readonly maxInputTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly supports: readonly string[];
  readonly deprecatedOn: string | undefined;
  readonly prices: FlatPrices;
  readonly rules: readonly ListedRule[];
}

interface FactLine {
  readonly provider: string;
  readonly model: string;
  readonly mode: string;
  readonly context?: number;
  readonly maxOutput?: number;
  readonly supports?: readonly string[];
  readonly deprecated?: string;
  readonly picoUsdPerToken?: Readonly<Record<string, number>>;
  readonly nanoUsdPerUnit?: Readonly<Record<string, number>>;
}

/** Price list names, mapped to our provider names. The list has several names for one service, by API or model type. */
const providerNames: Readonly<Record<string, string>> = {
  bedrock_converse: "bedrock",
  cohere_chat: "cohere",
  "fireworks_ai-embedding-models": "fireworks_ai",
  "text-completion-openai": "openai",
  "vertex_ai-anthropic_models": "vertex_ai",
  "vertex_ai-embedding-models": "vertex_ai",
  "vertex_ai-image-models": "vertex_ai",
  "vertex_ai-language-models": "vertex_ai",
  "vertex_ai-llama_models": "vertex_ai",
  "vertex_ai-mistral_models": "vertex_ai",
};

const tokenFields: Readonly<Record<string, PriceField>> = {
  input: "input",
  output: "output",
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite",
  reasoning: "outputReasoning",
  audioInput: "inputAudio",
  audioOutput: "outputAudio",
};

const unitFields: Readonly<Record<string, PriceField>> = {
  inputCharacter: "inputPerCharacter",
  inputSecond: "inputPerSecond",
  outputSecond: "outputPerSecond",
  inputImage: "inputPerImage",
  image: "outputPerImage",
  query: "perQuery",
};

const NANO_TO_PICO_PLACES = 3;

/**
 * Reads the data of callable models, with our provider names. Throws on unknown fields and modes, so that no data is
 * lost. The price list is newer than the data and has the prices under conditions, so its prices take precedence.
 */
export function readFacts(text: string, findPrices: FindListedPrices): Fact[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => readFact(JSON.parse(line) as FactLine, findPrices)).filter(isCallable);
}

function readFact(line: FactLine, findPrices: FindListedPrices): Fact {
  const provider = providerNames[line.provider] ?? line.provider;
  const isPrefixed = line.model.startsWith(`${provider}/`);
  const listed = findPrices(line.model);
  return {
    provider,
    model: isPrefixed ? line.model.slice(provider.length + 1) : line.model,
    isPrefixed,
    mode: readMode(line.mode),
    maxInputTokens: largerLimit(line.context, listed?.maxInputTokens),
    maxOutputTokens: largerLimit(line.maxOutput, listed?.maxOutputTokens),
    supports: line.supports ?? [],
    deprecatedOn: line.deprecated,
    prices: new Map([
      ...readPrices(line.picoUsdPerToken ?? {}, tokenFields, 0),
      ...readPrices(line.nanoUsdPerUnit ?? {}, unitFields, NANO_TO_PICO_PLACES),
      ...(listed?.prices ?? []),
    ]),
    rules: listed?.rules ?? [],
  };
}

/**
 * Returns the larger limit, because a hold must cover it. The data uses zero for an unknown limit, for example for
 * moderation models.
 */
function largerLimit(limit: number | undefined, listed = 0): number | undefined {
  return limit ? Math.max(limit, listed) : undefined;
}

function readMode(text: string): Mode {
  const mode = modes.find((known) => known === text);
  if (!mode) throw new Error(`unknown mode: ${text}`);
  return mode;
}

function readPrices(
  amounts: Readonly<Record<string, number>>,
  fields: Readonly<Record<string, PriceField>>,
  places: number,
): [PriceField, bigint][] {
  return Object.entries(amounts).map(([name, amount]) => {
    const field = fields[name];
    if (!field) throw new Error(`unknown price: ${name}`);
    return [field, scaleDecimal(String(amount), places)];
  });
}

/** Reports whether a row prices a model. Model size classes, code sandboxes, and incomplete names don't. */
function isCallable({ provider, model }: Fact): boolean {
  const isSizeClass = provider === "together_ai" && model.startsWith("together-ai-");
  return !isSizeClass && model !== "container" && !model.endsWith("/");
}
