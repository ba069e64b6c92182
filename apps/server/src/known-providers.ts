import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { findAdapterProblem } from "@tollgate/gateway/providers/ai-sdk/adapter-package.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { Providers } from "@tollgate/runtime/settings/name-provider.ts";

/** Providers that settings can name: supported providers, plus catalog providers that the gateway can't call yet. */
export const knownProviders: Providers = {
  known: providers,
  notCallable: new Set(
    loadCatalog()
      .providers()
      .filter((name) => !providers.has(name)),
  ),
  findAdapterProblem,
  infer: (bareModel) => loadCatalog().inferProvider(bareModel),
};
