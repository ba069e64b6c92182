import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import type { Flag } from "../../../command.ts";
import { readUsd } from "../../../format-values.ts";

const types = ["chat", "completion", "embedding", "image", "moderation", "speech", "transcription", "rerank"] as const;
const capabilities = [
  "streaming",
  "tools",
  "parallel_tools",
  "json_schema",
  "vision",
  "web_search",
  "reasoning",
] as const;

/** Flags for a model's properties. */
export const modelFlags = {
  name: { type: "string", value: "NAME", description: "Display name" },
  type: { type: "string", value: "TYPE", choices: types, description: "Model type" },
  description: { type: "string", value: "TEXT", description: "Description for the model hub" },
  context: { type: "number", value: "TOKENS", description: "Context window" },
  "max-output": { type: "number", value: "TOKENS", description: "Maximum output tokens" },
  capability: {
    type: "string",
    multiple: true,
    value: "NAME",
    choices: capabilities,
    description: "Capability",
  },
  "input-price": { type: "string", value: "USD", description: "Price per million input tokens" },
  "output-price": { type: "string", value: "USD", description: "Price per million output tokens" },
  "cached-price": { type: "string", value: "USD", description: "Price per million cached input tokens" },
  "request-price": { type: "string", value: "USD", description: "Price per request" },
  rpm: { type: "number", value: "COUNT", description: "Provider limit, in requests per minute" },
  tpm: { type: "number", value: "COUNT", description: "Provider limit, in tokens per minute" },
} as const satisfies Readonly<Record<string, Flag>>;

interface ModelValues {
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly description: string | undefined;
  readonly context: number | undefined;
  readonly "max-output": number | undefined;
  readonly capability: readonly string[];
  readonly "input-price": string | undefined;
  readonly "output-price": string | undefined;
  readonly "cached-price": string | undefined;
  readonly "request-price": string | undefined;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
}

/** Returns the request body fields that these flags set. Fields without a flag are omitted. */
export function readModelFlags(flags: ModelValues) {
  const pricing = given({
    inputPerMillionTokens: amount(flags["input-price"]),
    outputPerMillionTokens: amount(flags["output-price"]),
    cachedInputPerMillionTokens: amount(flags["cached-price"]),
    perRequest: amount(flags["request-price"]),
  });
  const params = given({ rpm: flags.rpm, tpm: flags.tpm });
  return given({
    name: flags.name,
    type: flags.type as (typeof types)[number] | undefined,
    description: flags.description,
    contextWindow: flags.context,
    maxOutputTokens: flags["max-output"],
    capabilities: flags.capability.length === 0 ? undefined : (flags.capability as (typeof capabilities)[number][]),
    pricing: Object.keys(pricing).length === 0 ? undefined : pricing,
    params: Object.keys(params).length === 0 ? undefined : params,
  });
}

/** Formats a price in dollars per million tokens. */
export function formatPrice(price: bigint | null): string {
  return price === null ? "none" : `${formatExactMoney(price)} / 1M`;
}

type Given<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Returns the members that are defined. */
export function given<Members extends object>(members: Members): Given<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<Members>;
}

function amount(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : readUsd(text);
}
