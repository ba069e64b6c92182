import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { type Operations, parseUsd } from "@tollgate/sdk/platform";
import type { Deployment } from "./filter-deployments.ts";

export type Model = Operations["getModel"]["answer"]["model"];
type ModelBody = Operations["updateModel"]["body"];
export type ModelType = NonNullable<ModelBody["type"]>;
export type Pricing = NonNullable<Deployment["pricing"]>;
export type PriceName = (typeof priceNames)[number];

/** Select value for a new provider that is created with the deployment. */
export const NEW_PROVIDER = "+";

const priceNames = [
  "inputPerMillionTokens",
  "outputPerMillionTokens",
  "cachedInputPerMillionTokens",
  "perImage",
  "perAudioSecond",
  "perMillionCharacters",
] as const;

/** Deployment form values as typed, for new and existing deployments. */
export interface DeploymentDraft {
  readonly provider: string;
  readonly slug: string;
  readonly kind: string;
  readonly baseUrl: string;
  /** Write-only: stored keys are never shown. */
  readonly apiKey: string;
  readonly model: string;
  readonly id: string;
  readonly type: ModelType;
  readonly description: string;
  readonly contextWindow: string;
  readonly maxOutputTokens: string;
  readonly priceFrom: "current" | "catalog" | "custom";
  readonly prices: Readonly<Record<PriceName, string>>;
  readonly rpm: string;
  readonly tpm: string;
  readonly timeoutSeconds: string;
  readonly streamTimeoutSeconds: string;
  readonly dropParams: boolean;
  readonly additionalDropParams: string;
  readonly allowedParams: string;
  readonly allowedHeaders: string;
  /** These two can be set only through the API. The form preserves their values. */
  readonly unknownParams: NonNullable<ModelBody["params"]>["unknownParams"] | null;
  readonly priceRules: NonNullable<ModelBody["params"]>["priceRules"] | null;
}

export type ChangeDraft = (change: Partial<DeploymentDraft>) => void;

const noPrices: DeploymentDraft["prices"] = {
  inputPerMillionTokens: "",
  outputPerMillionTokens: "",
  cachedInputPerMillionTokens: "",
  perImage: "",
  perAudioSecond: "",
  perMillionCharacters: "",
};

export const emptyDraft: DeploymentDraft = {
  provider: "",
  slug: "",
  kind: "",
  baseUrl: "",
  apiKey: "",
  model: "",
  id: "",
  type: "chat",
  description: "",
  contextWindow: "",
  maxOutputTokens: "",
  priceFrom: "catalog",
  prices: noPrices,
  rpm: "",
  tpm: "",
  timeoutSeconds: "",
  streamTimeoutSeconds: "",
  dropParams: false,
  additionalDropParams: "",
  allowedParams: "",
  allowedHeaders: "",
  unknownParams: null,
  priceRules: null,
};

/** Returns the form values of a stored deployment. */
export function draftOf(deployment: Deployment, model: Model): DeploymentDraft {
  const { params, pricing } = deployment;
  return {
    ...emptyDraft,
    provider: deployment.provider,
    model: deployment.model,
    id: deployment.group,
    type: model.type,
    description: model.description,
    contextWindow: textOf(model.contextWindow),
    maxOutputTokens: textOf(model.maxOutputTokens),
    priceFrom: pricing === null ? "custom" : "current",
    prices: pricing === null ? noPrices : pricesOf(pricing),
    rpm: textOf(params.rpm),
    tpm: textOf(params.tpm),
    timeoutSeconds: textOf(params.timeoutSeconds),
    streamTimeoutSeconds: textOf(params.streamTimeoutSeconds),
    dropParams: params.dropParams === true,
    additionalDropParams: joined(params.additionalDropParams),
    allowedParams: joined(params.allowedParams),
    allowedHeaders: joined(params.allowedHeaders),
    unknownParams: (params as NonNullable<ModelBody["params"]>).unknownParams ?? null,
    priceRules: (params as NonNullable<ModelBody["params"]>).priceRules ?? null,
  };
}

/** Returns the prices as form values. */
export function pricesOf(pricing: Pricing): DeploymentDraft["prices"] {
  const text = (nano: bigint | null) =>
    nano === null
      ? ""
      : formatExactMoney(nano)
          .replaceAll(/[$,]/g, "")
          .replace(/\.?0+$/, "");
  return Object.fromEntries(priceNames.map((name) => [name, text(pricing[name])])) as DeploymentDraft["prices"];
}

/** Returns which prices apply to a model type. */
export function pricesOfType(type: ModelType): readonly PriceName[] {
  if (type === "image") return ["perImage", "inputPerMillionTokens", "outputPerMillionTokens"];
  if (type === "speech") return ["perMillionCharacters", "perAudioSecond"];
  if (type === "transcription") return ["perAudioSecond", "inputPerMillionTokens", "outputPerMillionTokens"];
  if (type === "embedding" || type === "moderation" || type === "rerank") return ["inputPerMillionTokens"];
  return ["inputPerMillionTokens", "outputPerMillionTokens", "cachedInputPerMillionTokens"];
}

/**
 * Returns the request body for the form's values. Cleared parameters are removed by replacing all parameters, and
 * cleared numbers are sent as null. For a new model, the catalog price is omitted. For an existing model, the catalog
 * price is copied.
 */
export function bodyOf(draft: DeploymentDraft, isNew: boolean, known: Pricing | null): ModelBody {
  const pricing = pricingOf(draft, isNew, known);
  return {
    inferenceModelId: draft.model.trim(),
    type: draft.type,
    description: draft.description.trim(),
    // For a new model, empty fields keep the catalog's values.
    ...(isNew && draft.contextWindow === "" ? {} : { contextWindow: numberOf(draft.contextWindow) ?? null }),
    ...(isNew && draft.maxOutputTokens === "" ? {} : { maxOutputTokens: numberOf(draft.maxOutputTokens) ?? null }),
    ...(pricing === undefined ? {} : { pricing }),
    params: paramsOf(draft),
  };
}

/** Returns the first problem that must be fixed before the form can be submitted, or null. */
export function problemOf(draft: DeploymentDraft, isNew: boolean): string | null {
  if (draft.provider === "") return "Choose a provider";
  if (draft.provider === NEW_PROVIDER && (draft.kind === "" || draft.slug === "")) {
    return "Enter the new provider's kind and name";
  }
  if (draft.model.trim() === "") return "Enter the provider model ID";
  if (isNew && draft.id.trim() === "") return "Enter a public model name";
  const numbers = [draft.contextWindow, draft.maxOutputTokens, draft.rpm, draft.tpm];
  const seconds = [draft.timeoutSeconds, draft.streamTimeoutSeconds];
  if ([...numbers, ...seconds].some((text) => text !== "" && numberOf(text) === undefined)) {
    return "Limits must be whole numbers";
  }
  const isWrong = pricesOfType(draft.type).some(
    (name) => draft.prices[name] !== "" && parseUsd(draft.prices[name]) === null,
  );
  return draft.priceFrom === "custom" && isWrong ? "Prices must be amounts in dollars, such as 1.25" : null;
}

function pricingOf(draft: DeploymentDraft, isNew: boolean, known: Pricing | null): ModelBody["pricing"] {
  if (draft.priceFrom === "current" || (isNew && draft.priceFrom === "catalog")) return undefined;
  const names = pricesOfType(draft.type);
  const amount = (name: PriceName) =>
    draft.priceFrom === "catalog" ? (known?.[name] ?? null) : parseUsd(draft.prices[name]);
  return Object.fromEntries(names.map((name) => [name, amount(name)]));
}

function paramsOf(draft: DeploymentDraft): NonNullable<ModelBody["params"]> {
  const entries = (["rpm", "tpm", "timeoutSeconds", "streamTimeoutSeconds"] as const).flatMap((name) => {
    const value = numberOf(draft[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const lists = (["additionalDropParams", "allowedParams", "allowedHeaders"] as const).flatMap((name) => {
    const names = draft[name].split(/[\s,]+/).filter((part) => part !== "");
    return names.length === 0 ? [] : [[name, names] as const];
  });
  return {
    ...Object.fromEntries(entries),
    ...(draft.dropParams && { dropParams: true }),
    ...Object.fromEntries(lists),
    ...(draft.unknownParams !== null && { unknownParams: draft.unknownParams }),
    // Other prices would contradict the rules, which are for the current ones.
    ...(draft.priceRules !== null && draft.priceFrom === "current" && { priceRules: draft.priceRules }),
  };
}

function joined(names: unknown): string {
  return Array.isArray(names) ? names.join(", ") : "";
}

function numberOf(text: string): number | undefined {
  const digits = text.replaceAll(/[,\s]/g, "");
  return /^[1-9]\d{0,11}$/.test(digits) ? Number(digits) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "number" ? String(value) : "";
}
