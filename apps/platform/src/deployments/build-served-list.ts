import type { TargetRule } from "@tollgate/domain/network/outbound-target.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { LiveStates, StoredModel } from "./deployment-source.ts";
import type { GatewayModelList, GatewayModels } from "./gateway-models.ts";

/** The model list that a gateway would build, and the stored models that it includes. */
export interface ServedList {
  readonly settings: Settings;
  readonly models: GatewayModels;
  readonly list: GatewayModelList;
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
export function buildServedList(
  models: GatewayModels,
  settings: Settings,
  storedModels: readonly StoredModel[],
  live: LiveStates,
): ServedList {
  const rule = { allowed: settings.platform.outboundAllow };
  const stored = storedModels.map((model) => ({
    model,
    entry: toEntry(models, model, rule),
    isShadowed: models.isNamedIn(settings, model.id),
  }));
  const entries = stored.flatMap(({ model, entry }) => (entry === null || model.status === "disabled" ? [] : [entry]));
  const list = models.buildList(settings, entries);
  for (const { id, state } of list.deployments) {
    const known = live.get(id);
    state.cooledUntilMs = known?.cooledUntilMs ?? 0;
    state.isUnhealthy = known?.isUnhealthy ?? false;
  }
  return { settings, models, list, stored };
}

function toEntry(models: GatewayModels, model: StoredModel, rule: TargetRule): DeploymentSettings | null {
  try {
    return models.toSettings(model, rule);
  } catch {
    return null;
  }
}
