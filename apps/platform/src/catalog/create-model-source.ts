import { isNamedIn } from "@tollgate/gateway/model-list/build-model-list.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { ListedModel, ModelSource } from "@tollgate/platform/catalog/model-source.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { describePublicModel, listPublicModels } from "./list-public-models.ts";

/**
 * Creates the list of models in the settings files. The list is rebuilt when the files change and doesn't need a
 * gateway.
 */
export function createModelSource(settings: () => Settings): ModelSource {
  let listed: { readonly of: Settings; readonly models: readonly ListedModel[] } | null = null;
  return {
    list: () => {
      const current = settings();
      if (listed?.of !== current) listed = { of: current, models: listNamed(current) };
      return listed.models;
    },
    has: (name) => isNamedIn(settings(), name),
    kinds: () =>
      [...providers.values()]
        .filter(({ isOnlyForFiles }) => isOnlyForFiles !== true)
        .map(({ name, defaultApiBase, localTransport }) => ({
          name,
          needsBaseUrl: defaultApiBase === null && localTransport === undefined,
        })),
  };
}

/** Lists the named models, without wildcards. */
function listNamed(settings: Settings): readonly ListedModel[] {
  return listPublicModels(settings)
    .filter(({ kind }) => kind !== "pattern")
    .map(describePublicModel)
    .filter((model) => model !== null);
}
