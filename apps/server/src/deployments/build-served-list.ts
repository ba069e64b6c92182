import { loadCatalog } from "@tollgate/catalogue/catalogue.ts";
import type { TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { toStoredDeployment } from "@tollgate/gateway/adapters/stored-deployment.ts";
import { buildModelList, isNamedIn, type ModelList } from "@tollgate/gateway/model-list/build-model-list.ts";
import { Transports } from "@tollgate/gateway/model-list/transports.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { LiveStates, StoredModel } from "@tollgate/platform/deployments/deployment-source.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";

/** What a gateway serves, built as a gateway builds it, and who asked for each entry. */
export interface ServedList {
  readonly settings: Settings;
  readonly list: ModelList;
  readonly stored: readonly StoredEntry[];
}

export interface StoredEntry {
  readonly model: StoredModel;
  /** Null when it cannot be served as it is stored. */
  readonly entry: DeploymentSettings | null;
  /** The settings files give its name another meaning. */
  readonly isShadowed: boolean;
}

/** Builds the list anew. Nothing can be called through it, and no credential of the database is opened for it. */
export function buildServedList(settings: Settings, models: readonly StoredModel[], live: LiveStates): ServedList {
  const rule = { allowed: settings.platform.outboundAllow };
  const stored = models.map((model) => ({
    model,
    entry: toEntry(model, rule),
    isShadowed: isNamedIn(settings, model.id),
  }));
  const entries = stored.flatMap(({ model, entry }) => (entry === null || model.status === "disabled" ? [] : [entry]));
  const states = new RouteStates();
  const transports = new Transports(neverSends);
  const list = buildModelList(settings, providers, loadCatalog(), transports, states, {
    entries,
    onUnusable: () => {},
  });
  for (const { id, state } of list.deployments) {
    const known = live.get(id);
    state.cooledUntilMs = known?.cooledUntilMs ?? 0;
    state.isUnhealthy = known?.isUnhealthy ?? false;
  }
  return { settings, list, stored };
}

function toEntry(model: StoredModel, rule: TargetRule): DeploymentSettings | null {
  try {
    return toStoredDeployment({ ...model, sealedApiKey: null }, null, rule);
  } catch {
    return null;
  }
}

/** Stands where connections would be: a list makes no calls. */
const neverSends = () => ({
  send: (): never => {
    throw new Error("listing models does not send requests");
  },
  close: async () => {},
});
