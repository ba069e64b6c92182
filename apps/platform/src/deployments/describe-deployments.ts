import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { DeploymentStatus } from "@tollgate/contracts/management/deployment.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { DEVELOPMENT_DEFAULTS } from "@tollgate/runtime/settings/development-defaults.ts";
import type { DeploymentSettings } from "@tollgate/runtime/settings/settings.ts";
import { describePrice } from "../catalog/describe-model.ts";
import type { ServedList, StoredEntry } from "./build-served-list.ts";
import type { LiveStates, ServedDeployment } from "./deployment-source.ts";
import type { GatewayDeployment, GatewayModels } from "./gateway-models.ts";

const DAY_MS = 86_400_000;

type PriceFacts = Pick<ServedDeployment, "priced" | "priceSource" | "pricing" | "stale">;

/** Describes every configured or stored deployment, including deployments that can't be served. */
export function describeDeployments(served: ServedList, live: LiveStates, now: Date): readonly ServedDeployment[] {
  const { models, list, settings, stored } = served;
  const context = { models, built: list.groups.byId, live, now, maxAgeDays: settings.prices.maxAgeDays };
  const ofFiles = settings.deployments.map((entry) => describeEntry(entry, context));
  return [...ofFiles, ...stored.map((entry) => describeStored(entry, context))];
}

/** Returns a deployment's status as last reported by a gateway. */
export function statusOf(id: string, live: LiveStates, now: Date): DeploymentStatus {
  const state = live.get(id);
  if (state === undefined) return "unknown";
  if (state.cooledUntilMs > now.getTime()) return "cooling";
  return state.isUnhealthy ? "unhealthy" : "healthy";
}

interface DescribeContext {
  readonly models: GatewayModels;
  /** Deployments that a gateway could serve, by ID. */
  readonly built: ReadonlyMap<string, GatewayDeployment>;
  /** Age at which prices of the catalog count as stale. */
  readonly maxAgeDays: number;
  readonly live: LiveStates;
  readonly now: Date;
}

function describeEntry(entry: DeploymentSettings, context: DescribeContext): ServedDeployment {
  const { models, built, live, now } = context;
  const id = models.deploymentIdOf(entry);
  const deployment = built.get(id);
  const { params, info, source, modelName } = entry;
  const untilMs = live.get(id)?.cooledUntilMs ?? 0;
  const isOwn = source.file === DEVELOPMENT_DEFAULTS;
  return {
    id,
    group: modelName,
    provider: deployment === undefined ? (params.provider ?? "") : models.providerNameOf(deployment),
    providerKind: params.provider ?? "",
    model: params.upstreamModel,
    source: isOwn
      ? { kind: "environment", file: null, line: null }
      : { kind: "file", file: source.file, line: source.line },
    apiBase: deployment === undefined ? null : models.addressOf(deployment),
    credential: hasCredential(params) ? "set" : models.isSimulated(params.provider ?? "") ? "not needed" : "not set",
    weight: params.weight,
    order: params.order,
    rpm: params.rpm,
    tpm: params.tpm,
    mode: deployment?.facts.mode ?? info.mode,
    tags: [...params.tags],
    ...describePriceOf(deployment, context),
    status: deployment === undefined ? "unusable" : statusOf(id, live, now),
    cooldownUntil: untilMs > now.getTime() ? new Date(untilMs) : null,
    editable: false,
    modelId: null,
    params: withoutAddresses(params.shown),
    isPattern: modelName.includes("*"),
    teamId: info.teamId,
  };
}

/** Reports whether a credential is configured. Some providers use credentials other than an API key. */
function hasCredential({ apiKey, providerOptions }: DeploymentSettings["params"]): boolean {
  return apiKey !== null || Object.values(providerOptions).some((option) => option instanceof Secret);
}

function describeStored({ model, entry, isShadowed }: StoredEntry, context: DescribeContext): ServedDeployment {
  const isServed = entry !== null && !isShadowed && model.status !== "disabled";
  const shown = entry === null ? null : describeEntry(entry, isServed ? context : { ...context, built: new Map() });
  return {
    ...(shown ?? unreadable),
    id: shown?.id ?? model.id,
    group: model.id,
    provider: model.provider,
    providerKind: model.providerKind,
    model: model.inferenceModelId,
    source: { kind: "database", file: null, line: null },
    credential: model.hasCredential ? "set" : (shown?.credential ?? "not set"),
    ...(model.price === null ? unpriced : (shown ?? unpriced).priced ? {} : { priced: true, priceSource: "override" }),
    pricing: describePrice(model.price),
    status: model.status === "disabled" ? "disabled" : isServed ? (shown?.status ?? "unusable") : "unusable",
    editable: true,
    modelId: model.id,
    params: { ...model.params },
  };
}

/** Removes the base URL, which is shown separately, and URL queries, which may contain credentials. */
function withoutAddresses(shown: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const others = Object.entries(shown).filter(([name]) => name !== "api_base" && name !== "base_url");
  return Object.fromEntries(
    others.map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(/^(https?:[^?#]*)[?#].*/s, "$1") : value,
    ]),
  );
}

const unpriced = { priced: false, priceSource: "none", pricing: null, stale: false } as const satisfies PriceFacts;

/** Field values for a stored model that can't be served. */
const unreadable = {
  apiBase: null,
  weight: null,
  order: null,
  rpm: null,
  tpm: null,
  mode: null,
  tags: [],
  ...unpriced,
  cooldownUntil: null,
  isPattern: false,
  teamId: null,
};

/** Describes a price. A price that differs from the catalog price was set manually. Wildcards use catalog prices. */
function describePriceOf(
  deployment: GatewayDeployment | undefined,
  { models, now, maxAgeDays }: Pick<DescribeContext, "models" | "now" | "maxAgeDays">,
): PriceFacts {
  if (deployment === undefined) return unpriced;
  const stale = now.getTime() - Date.parse(loadCatalog().pricesAsOf) > maxAgeDays * DAY_MS;
  const { price, model, isNamedByClient, shownInfo } = deployment;
  if (price === null) {
    const isKnown = isNamedByClient && models.expandPattern(deployment).length > 0;
    return isKnown ? { priced: true, priceSource: "catalog", pricing: null, stale } : unpriced;
  }
  const names = [shownInfo.base_model, model].filter((name) => typeof name === "string");
  const known = models.factsOfModel(names).price;
  // A margin doesn't change where the price comes from.
  const base = deployment.selling?.base.price ?? price;
  const isKnown = known !== null && priceVersionId(model, known) === priceVersionId(model, base);
  const priceSource = isKnown ? "catalog" : "override";
  return { priced: true, priceSource, pricing: describePrice(price), stale: isKnown && stale };
}
