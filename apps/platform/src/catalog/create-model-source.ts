import { editionInUse } from "@tollgate/catalog/catalog.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { GatewayModels } from "../deployments/gateway-models.ts";
import { describePublicModel } from "./describe-public-model.ts";
import type { ListedModel, ModelSource } from "./model-source.ts";

/**
 * Creates the list of models in the settings files. The list is rebuilt when the files or the catalog edition
 * change, and doesn't need a gateway.
 */
export function createModelSource(models: GatewayModels, settings: () => Settings): ModelSource {
  let listed: { readonly of: Settings; readonly edition: object; readonly models: readonly ListedModel[] } | null =
    null;
  return {
    list: () => {
      const current = settings();
      const edition = editionInUse();
      if (listed?.of !== current || listed.edition !== edition) {
        listed = { of: current, edition, models: listNamed(models, current) };
      }
      return listed.models;
    },
    has: (name) => models.isNamedIn(settings(), name),
    kinds: () => models.providerKinds(),
  };
}

/** Lists the named models, without wildcards. */
function listNamed(models: GatewayModels, settings: Settings): readonly ListedModel[] {
  return models
    .listPublic(settings, [])
    .filter(({ kind }) => kind !== "pattern")
    .map((model) => describePublicModel(model, models))
    .filter((model) => model !== null);
}
