import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import { toStoredDeployment } from "@tollgate/gateway/adapters/stored-deployment.ts";
import { isNamedIn } from "@tollgate/gateway/model-list/build-model-list.ts";
import { providerNameOf, supportedParamsOf } from "@tollgate/gateway/model-list/describe-model.ts";
import { expandPattern } from "@tollgate/gateway/model-list/expand-pattern.ts";
import { findFallbacks } from "@tollgate/gateway/model-list/find-fallbacks.ts";
import type { ListedModel as GroupListing } from "@tollgate/gateway/model-list/list-visible-models.ts";
import { operationKinds } from "@tollgate/gateway/operations/operation-kinds.ts";
import { operationOfMode } from "@tollgate/gateway/operations/operation-of-mode.ts";
import type { StoredModel } from "@tollgate/platform/deployments/deployment-source.ts";
import type { HubGroup, HubSource } from "@tollgate/platform/hub/hub-source.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import { describePublicModel, listPublicModels } from "./list-public-models.ts";

const EXAMPLES = 8;

/**
 * Creates the hub's model list from the public model groups in the settings. The list is rebuilt when the settings or
 * stored models change.
 */
export function createHubSource(settings: () => Settings): HubSource {
  let listed: { readonly of: Settings; readonly stored: string; readonly groups: readonly HubGroup[] } | null = null;
  return {
    isPublic: () => settings().general.enablePublicModelHub,
    list: (stored) => {
      const current = settings();
      const state = stateOf(stored);
      if (listed?.of !== current || listed.stored !== state) {
        listed = { of: current, stored: state, groups: listGroups(current, stored) };
      }
      return listed.groups;
    },
  };
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

function listGroups(settings: Settings, stored: readonly StoredModel[]): readonly HubGroup[] {
  const entries = toEntries(settings, stored);
  // Omit models that a gateway couldn't serve.
  const listing = listPublicModels(settings, { entries, onUnusable: () => {} });
  const groups = listing.flatMap((model) => describeGroup(model, settings));
  const shown = new Set(groups.map(({ id }) => id));
  const isShown = (name: string) => shown.has(name) || (!isNamedIn(settings, name) && isUnderPattern(groups, name));
  // Don't reveal a hidden model's name through another model's fallbacks.
  return groups.map((group) => ({ ...group, fallbacks: group.fallbacks.filter(isShown) }));
}

function isUnderPattern(groups: readonly HubGroup[], name: string): boolean {
  return groups.some(({ id, examples }) => examples !== null && matchPattern(id, name) !== null);
}

function toEntries(settings: Settings, stored: readonly StoredModel[]): readonly DeploymentSettings[] {
  const rule = { allowed: settings.platform.outboundAllow };
  return stored.flatMap((model) => {
    try {
      return [toStoredDeployment({ ...model, sealedApiKey: null }, null, rule)];
    } catch {
      return [];
    }
  });
}

function describeGroup(model: GroupListing, settings: Settings): readonly HubGroup[] {
  const described = describePublicModel(model);
  if (described === null) return [];
  const { id, deployments } = model;
  const { provider: _, ...shown } = described;
  const supported = intersect(deployments.map(supportedParamsOf));
  const ofOperation = operationKinds[operationOfMode(described.mode)]?.fields.params ?? new Set<string>();
  return [
    {
      ...shown,
      providers: [...new Set(deployments.map(providerNameOf))],
      supportedParams: supported,
      unsupportedParams: [...ofOperation].filter((name) => !supported.includes(name)),
      rpm: sumOfAll(deployments.map(({ rpm }) => rpm)),
      tpm: sumOfAll(deployments.map(({ tpm }) => tpm)),
      fallbacks: findFallbacks(settings.router, "general", model.groupName),
      examples: model.kind === "pattern" ? exampleNames(model) : null,
      names: [...new Set([id, model.groupName, ...deployments.map(({ groupName }) => groupName)])],
      accessGroups: [...new Set(deployments.flatMap(({ accessGroups }) => accessGroups))],
      storedId: isNamedIn(settings, id) || deployments.every(({ isFromDatabase }) => !isFromDatabase) ? null : id,
      source: sourceOf(model, settings),
    },
  ];
}

function exampleNames({ deployments }: GroupListing): readonly string[] {
  const names = deployments.flatMap((deployment) => expandPattern(deployment, loadCatalog()));
  return [...new Set(names)].toSorted().slice(0, EXAMPLES);
}

function sourceOf({ deployments }: GroupListing, settings: Settings): string {
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
