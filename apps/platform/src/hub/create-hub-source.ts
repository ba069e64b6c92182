import { editionInUse } from "@tollgate/catalog/catalog.ts";
import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import { describePublicModel } from "../catalog/describe-public-model.ts";
import type { StoredModel } from "../deployments/deployment-source.ts";
import type { GatewayListing, GatewayModels } from "../deployments/gateway-models.ts";
import type { HubGroup, HubSource } from "./hub-source.ts";

const EXAMPLES = 8;

/**
 * Creates the hub's model list from the public model groups in the settings. The list is rebuilt when the settings, the
 * stored models, or the catalog edition change.
 */
export function createHubSource(models: GatewayModels, settings: () => Settings): HubSource {
  let listed: ListedHub | null = null;
  return {
    isPublic: () => settings().general.enablePublicModelHub,
    list: (stored) => {
      const current = settings();
      const state = stateOf(stored);
      const edition = editionInUse();
      if (listed?.of !== current || listed.stored !== state || listed.edition !== edition) {
        listed = { of: current, edition, stored: state, groups: listGroups(models, current, stored) };
      }
      return listed.groups;
    },
  };
}

/** A list of groups, and what it was built from. */
interface ListedHub {
  readonly of: Settings;
  readonly edition: object;
  readonly stored: string;
  readonly groups: readonly HubGroup[];
}

/** Returns a string that changes whenever a displayed field changes. */
function stateOf(stored: readonly StoredModel[]): string {
  return JSON.stringify(
    stored.map(({ id, updatedAt, provider, providerKind, priceVersionId }) => [
      id,
      updatedAt,
      provider,
      providerKind,
      priceVersionId,
    ]),
  );
}

function listGroups(models: GatewayModels, settings: Settings, stored: readonly StoredModel[]): readonly HubGroup[] {
  const listing = models.listPublic(settings, toEntries(models, settings, stored));
  const groups = listing.flatMap((model) => describeGroup(model, models, settings));
  const shown = new Set(groups.map(({ id }) => id));
  const isShown = (name: string) =>
    shown.has(name) || (!models.isNamedIn(settings, name) && isUnderPattern(groups, name));
  // Don't reveal a hidden model's name through another model's fallbacks.
  return groups.map((group) => ({ ...group, fallbacks: group.fallbacks.filter(isShown) }));
}

function isUnderPattern(groups: readonly HubGroup[], name: string): boolean {
  return groups.some(({ id, examples }) => examples !== null && matchPattern(id, name) !== null);
}

function toEntries(
  models: GatewayModels,
  settings: Settings,
  stored: readonly StoredModel[],
): readonly DeploymentSettings[] {
  const rule = { allowed: settings.platform.outboundAllow };
  return stored.flatMap((model) => {
    try {
      return [models.toSettings(model, rule)];
    } catch {
      return [];
    }
  });
}

function describeGroup(model: GatewayListing, models: GatewayModels, settings: Settings): readonly HubGroup[] {
  const described = describePublicModel(model, models);
  if (described === null) return [];
  const { id, deployments, captures, groupName } = model;
  const { provider: _, ...shown } = described;
  const supported = intersect(
    deployments.map((deployment) => models.supportedParamsOf(deployment, captures, groupName)),
  );
  const ofOperation = models.paramsOfMode(described.mode);
  return [
    {
      ...shown,
      providers: [...new Set(deployments.map((deployment) => models.providerNameOf(deployment)))],
      supportedParams: supported,
      unsupportedParams: [...ofOperation].filter((name) => !supported.includes(name)),
      rpm: sumOfAll(deployments.map(({ rpm }) => rpm)),
      tpm: sumOfAll(deployments.map(({ tpm }) => tpm)),
      fallbacks: models.findFallbacks(settings.router, "general", model.groupName),
      examples: model.kind === "pattern" ? exampleNames(model, models) : null,
      names: [...new Set([id, model.groupName, ...deployments.map(({ groupName }) => groupName)])],
      accessGroups: [...new Set(deployments.flatMap(({ accessGroups }) => accessGroups))],
      storedId:
        models.isNamedIn(settings, id) || deployments.every(({ isFromDatabase }) => !isFromDatabase) ? null : id,
      source: sourceOf(model, settings),
    },
  ];
}

function exampleNames({ deployments }: GatewayListing, models: GatewayModels): readonly string[] {
  const names = deployments.flatMap((deployment) => models.expandPattern(deployment));
  return [...new Set(names)].toSorted().slice(0, EXAMPLES);
}

function sourceOf({ deployments }: GatewayListing, settings: Settings): string {
  const [first] = deployments;
  if (first?.isFromDatabase === true) return "database";
  const written = settings.deployments.find(({ modelName }) => modelName === first?.groupName);
  return written === undefined ? "settings" : `file ${written.source.file}:${written.source.line}`;
}

/** Returns the sum of the limits, or null if any limit is null. */
function sumOfAll(limits: readonly (number | null)[]): number | null {
  return limits.reduce((total, limit) => (total === null || limit === null ? null : total + limit), 0);
}

function intersect(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return first.filter((name) => others.every((list) => list.includes(name)));
}
