import { listCatalogModels } from "@tollgate/db/catalog/models.ts";
import { listCatalogProviders, listProvidersWithCredential } from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { StoredModel } from "./deployment-source.ts";

/**
 * Reads all stored models, including disabled ones. Reports whether a credential is set, but never the credential
 * itself.
 */
export async function readStoredModels(transaction: TenantTransaction): Promise<readonly StoredModel[]> {
  const models = await listCatalogModels(transaction);
  const providers = new Map((await listCatalogProviders(transaction)).map((provider) => [provider.id, provider]));
  const withCredential = await listProvidersWithCredential(transaction);
  return models.flatMap((model) => {
    const provider = providers.get(model.providerId);
    if (provider === undefined) return [];
    return [{ ...model, baseUrl: provider.baseUrl, hasCredential: withCredential.has(provider.id) }];
  });
}
