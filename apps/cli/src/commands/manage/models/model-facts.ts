import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import { formatCount, formatUsd } from "../../../format-values.ts";
import type { HubModel } from "./open-platform.ts";

/** A model of the catalogue with what the hub has measured and allows. */
export type ShownModel = RowOf<"listModels"> &
  Partial<Pick<HubModel, "performance" | "limits" | "fallbacks" | "supportedParams" | "available">>;

/** What anybody may know of a model. */
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

/** The model with the hub's part. */
export function withHub(model: RowOf<"listModels">, hub: ReadonlyMap<string, HubModel>): ShownModel {
  const known = hub.get(model.id);
  if (known === undefined) return model;
  const { performance, limits, fallbacks, supportedParams, available } = known;
  return { ...model, performance, limits, fallbacks, supportedParams, available };
}

/** A price without its sign, for columns that name it; a dash where there is none. */
export function formatPrice(amount: bigint | null): string {
  return amount === null ? "–" : formatUsd(amount).replace("$", "");
}

/** A size of context, as its makers count it: 32768 is 32K. */
export function formatTokens(count: number | null): string {
  return count !== null && count % KIBI === 0 && count < KIBI * KIBI ? `${count / KIBI}K` : formatCount(count);
}

const KIBI = 1024;

/** How long until the first token, measured; a dash where nothing was. */
export function formatFirstToken({ performance }: ShownModel): string {
  const median = performance?.medianFirstTokenMs ?? null;
  return median === null ? "–" : `${Math.round(median)}ms`;
}

/** All there is to tell of a model, by name. What it has not is null. */
export function modelFacts(model: ShownModel): readonly (readonly [name: string, value: string | null])[] {
  const { pricing, performance, limits } = model;
  const perMillion = (amount: bigint | null) => (amount === null ? null : `${formatUsd(amount)} per million tokens`);
  const per = (amount: bigint | null, unit: string) =>
    amount === null || amount === 0n ? null : `${formatUsd(amount)} ${unit}`;
  const rate = performance?.successRate ?? null;
  return [
    ["provider", model.provider],
    ["mode", model.type],
    ["status", model.status],
    ["context", model.contextWindow === null ? null : `${formatTokens(model.contextWindow)} tokens`],
    ["longest answer", model.maxOutputTokens === null ? null : `${formatTokens(model.maxOutputTokens)} tokens`],
    ["takes", model.inputModalities.join(", ") || null],
    ["gives", model.outputModalities.join(", ") || null],
    ["can", model.capabilities.join(", ") || null],
    ["input", perMillion(pricing.inputPerMillionTokens)],
    ["cached input", perMillion(pricing.cachedInputPerMillionTokens)],
    ["output", perMillion(pricing.outputPerMillionTokens)],
    ["image", per(pricing.perImage, "each")],
    ["audio", per(pricing.perAudioSecond, "per second")],
    ["speech", per(pricing.perMillionCharacters, "per million characters")],
    ["request", per(pricing.perRequest, "each")],
    ["first token", performance?.medianFirstTokenMs == null ? null : `${formatFirstToken(model)} (median)`],
    ["success", rate === null ? null : `${(rate * 100).toFixed(2)} %`],
    ["limits", limits == null ? null : formatLimits(limits)],
    ["fallbacks", model.fallbacks?.join(", ") || null],
    ["yours", model.available == null ? null : model.available ? "may be used" : "may not be used"],
  ];
}

function formatLimits({ rpm, tpm }: { readonly rpm: number | null; readonly tpm: number | null }): string | null {
  const parts = [...(rpm === null ? [] : [`${rpm} requests`]), ...(tpm === null ? [] : [`${tpm} tokens`])];
  return parts.length === 0 ? null : `${parts.join(", ")} a minute`;
}
