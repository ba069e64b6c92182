import { loadCatalogue } from "@tollgate/catalogue/catalogue.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { Providers } from "@tollgate/runtime/settings/name-provider.ts";

/** What settings may name: exactly the providers the gateway can call, so that a file that passes the check can be served. */
export const knownProviders: Providers = {
  known: providers,
  infer: (bareModel) => loadCatalogue().inferProvider(bareModel),
};
