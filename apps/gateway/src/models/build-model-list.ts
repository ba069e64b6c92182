import { createHash } from "node:crypto";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { composePrice } from "@tollgate/domain/pricing/compose-price.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { ModelGroup, ModelGroups } from "@tollgate/domain/routing/resolve-model.ts";
import type { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import type { DeploymentSettings, GatewaySettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment, DisconnectPolicy, ModelFacts } from "../call/deployment.ts";
import type { Provider } from "../call/provider.ts";
import { factsOfDeployment, listedPricesOf } from "./model-facts.ts";
import { offeredOperations } from "./offered-operations.ts";
import { needsOwnKey, ownKeyTerms } from "./own-key.ts";
import { createRuleBook } from "./router-rules.ts";
import { adjustmentsOf, sellFacts, versionOfDeployment } from "./sold-prices.ts";
import type { Transports } from "./transports.ts";

/** All models and deployments that calls can be routed to. The list is immutable. A reload builds a new list. */
export interface ModelList {
  readonly groups: ModelGroups<Deployment>;
  readonly deployments: readonly Deployment[];
  /** Group names in configuration order, including patterns. */
  readonly groupNames: readonly string[];
  readonly hiddenAliases: ReadonlySet<string>;
  /** Routing rules by group, and the router state for each deployment. */
  readonly rulesOf: ReturnType<typeof createRuleBook>;
  readonly states: RouteStates;
}

/** Deployments from the database, and a listener that is called for each unusable deployment. */
interface StoredDeployments {
  readonly entries: readonly DeploymentSettings[];
  readonly onUnusable: (entry: DeploymentSettings, reason: unknown) => void;
}

/**
 * Builds the model list from settings. Skips deployments of unsupported providers, for which settings validation logs a
 * warning.
 */
export function buildModelList(
  settings: Settings,
  providers: ReadonlyMap<string, Provider>,
  catalog: Catalog,
  transports: Transports,
  states: RouteStates,
  stored: StoredDeployments | null = null,
): ModelList {
  const deployments: Deployment[] = [];
  for (const entry of settings.deployments) {
    const deployment = buildDeployment(entry, settings.gateway, providers, catalog, transports, states, false);
    if (deployment !== null) deployments.push(deployment);
  }
  for (const entry of stored?.entries ?? []) {
    if (isNamedIn(settings, entry.modelName)) continue;
    try {
      const deployment = buildDeployment(entry, settings.gateway, providers, catalog, transports, states, true);
      if (deployment === null) stored?.onUnusable(entry, `no provider '${entry.params.provider}'`);
      else deployments.push(deployment);
    } catch (error) {
      // One invalid row must not affect the other models.
      stored?.onUnusable(entry, error);
    }
  }
  const byName = new Map<string, Deployment[]>();
  for (const deployment of deployments) {
    const siblings = byName.get(deployment.groupName);
    if (siblings) siblings.push(deployment);
    else byName.set(deployment.groupName, [deployment]);
  }
  const all: ModelGroup<Deployment>[] = [...byName].map(([name, members]) => ({ name, members }));
  const aliases = Object.entries(settings.router.modelGroupAlias);
  return {
    groups: {
      exact: new Map(all.filter(({ name }) => !name.includes("*")).map((group) => [group.name, group])),
      patterns: all.filter(({ name }) => name.includes("*")).sort((one, other) => other.name.length - one.name.length),
      aliases: new Map(aliases.map(([name, { model }]) => [name, model])),
      byId: new Map(deployments.map((deployment) => [deployment.id, deployment])),
    },
    deployments,
    groupNames: [...byName.keys()],
    hiddenAliases: new Set(aliases.filter(([, { hidden }]) => hidden).map(([name]) => name)),
    rulesOf: createRuleBook(settings.router),
    states,
  };
}

function buildDeployment(
  settings: DeploymentSettings,
  gateway: GatewaySettings,
  providers: ReadonlyMap<string, Provider>,
  catalog: Catalog,
  transports: Transports,
  states: RouteStates,
  isFromDatabase: boolean,
): Deployment | null {
  const { params, info } = settings;
  const named = providers.get(params.provider ?? "");
  if (named === undefined || (isFromDatabase && named.isOnlyForFiles === true)) return null;
  const provider = named.forModel?.(params.upstreamModel) ?? named;
  const base = factsOfDeployment(settings, catalog);
  const selling = {
    base,
    ownsPrices: composePrice(base.mode, params.prices) !== null,
    pricesAreCosts: params.pricesAreCosts,
    adjustments: adjustmentsOf(gateway, provider.name),
  };
  const sold = sellFacts(selling, listedPricesOf(settings, catalog));
  const { facts, providerPrices } = sold;
  const id = deploymentIdOf(settings);
  const written = {
    upstreamModel: params.upstreamModel,
    apiBase: params.apiBase,
    apiKey: params.apiKey,
    apiVersion: params.apiVersion,
    options: params.providerOptions,
    fileModelName: isFromDatabase ? null : settings.modelName,
  };
  const apiBase = params.apiBase ?? provider.apiBaseOf?.(written) ?? provider.defaultApiBase;
  const target = { ...written, apiBase };
  const offers = offeredOperations(provider, params.upstreamModel, facts, params.additionalDropParams, target);
  const chat = offers["chat.completions"];
  const ownKey = ownKeyTerms(params, id, provider, target, transports, isFromDatabase);
  return {
    id,
    headerId: /^[\x21-\x7e]*$/.test(id) ? id : encodeURIComponent(id),
    groupName: settings.modelName,
    provider,
    transport: transports.get(provider, apiBase, params.apiKey, isFromDatabase, provider.layerOf?.(target) ?? null),
    model: params.model,
    ...target,
    prepared: provider.prepare(target),
    ownKey,
    needsOwnKey: needsOwnKey(ownKey, provider, target),
    usesOwnKey: false,
    price: facts.price,
    ...versionOfDeployment(`${provider.name}/${params.upstreamModel}`, sold),
    facts,
    providerPrices,
    selling,
    isFromDatabase,
    accessGroups: info.accessGroups,
    region: params.region,
    timeoutSeconds: params.timeoutSeconds,
    streamTimeoutSeconds: params.streamTimeoutSeconds,
    onDisconnect: params.onDisconnect ?? defaultDisconnectPolicy(facts),
    dropsParams: params.dropParams ?? gateway.dropParams,
    offers,
    ...(chat !== undefined && { chatParams: chat.supportedParams }),
    allowedParams: params.allowedOpenaiParams,
    additionalDropParams: params.additionalDropParams,
    unknownParams: params.unknownParams ?? gateway.unknownParams,
    allowedFields: new Set([...params.allowedParams, ...params.allowedOpenaiParams]),
    allowedHeaders: new Set(params.allowedHeaders.map((name) => name.toLowerCase())),
    weight: params.weight,
    rpm: params.rpm,
    tpm: params.tpm,
    maxParallel: params.maxParallelRequests,
    order: params.order,
    tags: params.tags,
    cooldownMs: params.cooldownSeconds === null ? null : params.cooldownSeconds * 1_000,
    numRetries: params.numRetries,
    maxInputTokens: facts.maxInputTokens,
    priceSum: priceSumOf(facts.price),
    supportsResponseSchema: facts.supports_response_schema,
    isNamedByClient: settings.modelName.includes("*"),
    state: states.target(id),
    teamId: info.teamId,
    teamPublicModelName: info.teamPublicModelName,
    healthCheckModel: info.healthCheckModel,
    healthCheckTimeoutSeconds: info.healthCheckTimeoutSeconds,
    shownParams: params.shown,
    shownInfo: info.shown,
  };
}

/** Returns the default disconnect policy. Streams are aborted only if the model is known not to bill hidden tokens. */
export function defaultDisconnectPolicy({ billsHiddenTokens }: ModelFacts): DisconnectPolicy {
  return billsHiddenTokens === false ? "abort_streams" : "finish";
}

/** Reports whether the settings define this name. If so, they take precedence over the database. */
export function isNamedIn(settings: Settings, name: string): boolean {
  return (
    Object.hasOwn(settings.router.modelGroupAlias, name) ||
    settings.deployments.some(({ modelName }) => modelName === name)
  );
}

/** Returns the sum of the input and output token prices. */
export function priceSumOf(price: Price | null): bigint | null {
  return price === null ? null : price.input + price.output;
}

/**
 * Returns a deployment ID that is stable across restarts and key rotations. It is a hash of the group name and the
 * parameters without secrets.
 */
export function deploymentIdOf({ modelName, params, info }: DeploymentSettings): string {
  if (info.id !== null) return info.id;
  return createHash("sha256")
    .update(`${modelName}\n${canonicalJson(params.shown)}`)
    .digest("hex");
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
