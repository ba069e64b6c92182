import type { AdminProvider } from "@tollgate/contracts/management/provider.ts";
import {
  type CatalogProvider,
  countModelsByProvider,
  listProvidersWithCredential,
} from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";

/** Describes providers for administrators, including whether a credential is set, but never the credential itself. */
export async function describeProviders(
  transaction: TenantTransaction,
  providers: readonly CatalogProvider[],
): Promise<readonly AdminProvider[]> {
  const counts = await countModelsByProvider(transaction);
  const withCredential = await listProvidersWithCredential(transaction);
  return providers.map((provider) => ({
    ...provider,
    modelCount: counts.get(provider.id) ?? 0,
    hasApiKey: withCredential.has(provider.id),
  }));
}

/** Returns the audited fields of a provider. */
export function auditedProvider(provider: CatalogProvider, hasApiKey: boolean): Record<string, unknown> {
  const { slug, name, kind, baseUrl, website, status } = provider;
  return { slug, name, kind, baseUrl, website, status, hasApiKey };
}
