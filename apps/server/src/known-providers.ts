import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { findAdapterProblem } from "@tollgate/gateway/providers/ai-sdk/adapter-package.ts";
import {
  findCredentialProblem,
  findCredentialUrlProblem,
} from "@tollgate/gateway/providers/credentials/find-credential-problem.ts";
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
  findCredentialProblem,
  findCredentialUrlProblem,
  infer: (bareModel) => loadCatalog().inferProvider(bareModel),
};
