import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatShare, formatTokens } from "@tollgate/domain/figures/size-text.ts";
import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { HubModel } from "./open-platform.ts";

/** A catalog model with the hub's measurements and permissions. */
type ShownModel = RowOf<"listModels"> &
  Partial<Pick<HubModel, "performance" | "limits" | "fallbacks" | "supportedParams" | "available">>;

/** Public field names of a model. */
export const publicModelFields = [
  "id",
  "name",
  "provider",
  "type",
  "description",
  "contextWindow",
  "maxOutputTokens",
  "inputModalities",
  "outputModalities",
  "capabilities",
  "pricing",
  "status",
  "deprecatedAt",
  "createdAt",
] as const;

export const modelFields = [
  ...publicModelFields,
  "performance",
  "limits",
  "fallbacks",
  "supportedParams",
  "available",
] as const;

/** Adds the hub's data to a model. */
export function withHub(model: RowOf<"listModels">, hub: ReadonlyMap<string, HubModel>): ShownModel {
  const known = hub.get(model.id);
  if (known === undefined) return model;
  const { performance, limits, fallbacks, supportedParams, available } = known;
  return { ...model, performance, limits, fallbacks, supportedParams, available };
}

/**
 * Formats a price without the dollar sign, for columns whose heading names the currency; a dash if there is no price.
 */
export function formatPrice(amount: bigint | null): string {
  return amount === null ? "–" : formatExactMoney(amount).replace("$", "");
}

/** Formats the measured median time to first token; a dash if there is no measurement. */
export function formatFirstToken({ performance }: ShownModel): string {
  const median = performance?.medianFirstTokenMs ?? null;
  return median === null ? "–" : formatDuration(median);
}

/** Returns all properties of a model by name. Properties that the model lacks are null. */
export function modelFacts(model: ShownModel): readonly (readonly [name: string, value: string | null])[] {
  const { pricing, performance, limits } = model;
  const perMillion = (amount: bigint | null) =>
    amount === null ? null : `${formatExactMoney(amount)} per million tokens`;
  const per = (amount: bigint | null, unit: string) =>
    amount === null || amount === 0n ? null : `${formatExactMoney(amount)} ${unit}`;
  const rate = performance?.successRate ?? null;
  return [
    ["provider", model.provider],
    ["mode", model.type],
    ["status", model.status],
    ["context", model.contextWindow === null ? null : `${formatTokens(model.contextWindow)} tokens`],
    ["max output", model.maxOutputTokens === null ? null : `${formatTokens(model.maxOutputTokens)} tokens`],
    ["input types", model.inputModalities.join(", ") || null],
    ["output types", model.outputModalities.join(", ") || null],
    ["capabilities", model.capabilities.join(", ") || null],
    ["input price", perMillion(pricing.inputPerMillionTokens)],
    ["cached input price", perMillion(pricing.cachedInputPerMillionTokens)],
    ["output price", perMillion(pricing.outputPerMillionTokens)],
    ["image price", per(pricing.perImage, "each")],
    ["audio price", per(pricing.perAudioSecond, "per second")],
    ["speech price", per(pricing.perMillionCharacters, "per million characters")],
    ["request price", per(pricing.perRequest, "each")],
    ["first token", performance?.medianFirstTokenMs == null ? null : `${formatFirstToken(model)} (median)`],
    ["success rate", rate === null ? null : formatShare(rate, 2)],
    ["limits", limits == null ? null : formatLimits(limits)],
    ["fallbacks", model.fallbacks?.join(", ") || null],
    ["access", model.available == null ? null : model.available ? "allowed" : "not allowed"],
  ];
}

function formatLimits({ rpm, tpm }: { readonly rpm: number | null; readonly tpm: number | null }): string | null {
  const parts = [...(rpm === null ? [] : [`${rpm} requests`]), ...(tpm === null ? [] : [`${tpm} tokens`])];
  return parts.length === 0 ? null : `${parts.join(", ")} per minute`;
}
