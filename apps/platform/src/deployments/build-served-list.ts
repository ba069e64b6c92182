import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { toStoredDeployment } from "@tollgate/gateway/adapters/stored-deployment.ts";
import { buildModelList, isNamedIn, type ModelList } from "@tollgate/gateway/model-list/build-model-list.ts";
import { Transports } from "@tollgate/gateway/model-list/transports.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { LiveStates, StoredModel } from "@tollgate/platform/deployments/deployment-source.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";

/** The model list that a gateway would build, and the stored models that it includes. */
export interface ServedList {
  readonly settings: Settings;
  readonly list: ModelList;
  readonly stored: readonly StoredEntry[];
}

export interface StoredEntry {
  readonly model: StoredModel;
  /** Settings for the stored model; null if the model can't be served. */
  readonly entry: DeploymentSettings | null;
  /** True if the settings files define a model with the same name. */
  readonly isShadowed: boolean;
}

/** Builds the list without decrypting stored credentials. Deployments in the list can't be called. */
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

/** Replaces the connection to the provider, because listing models makes no calls. */
const neverSends = () => ({
  send: (): never => {
    throw new Error("listing models does not send requests");
  },
  close: async () => {},
});
