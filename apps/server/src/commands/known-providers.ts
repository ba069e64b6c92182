import { loadCatalog } from "@tollgate/catalogue/catalogue.ts";
import { findAdapterProblem } from "@tollgate/gateway/providers/ai-sdk/adapter-package.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { Providers } from "@tollgate/runtime/settings/name-provider.ts";

/** What settings may name: the providers the gateway can call, and those of the catalogue that it cannot call yet. */
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
