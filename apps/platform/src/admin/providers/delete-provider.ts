import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  countModelsByProvider,
  lockCatalogProvider,
  setProviderCredential,
  updateCatalogProvider,
} from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";

export const deleteProvider = operation({
  ...write,
  method: "DELETE",
  id: "deleteProvider",
  summary: "Delete a provider that serves no models, and its credential",
  tag: "admin",
  path: "/api/admin/providers/{id}",
  auth: "administrator",
  scope: "administrator",
  idempotency: "none",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "The provider is deleted" } },
  handle: async (input, transaction, services) => {
    await removeProvider(transaction, input.params.id, administratorOf(input), services.now());
    return { status: 204 };
  },
});

/** Deletes a provider and its credential, unless a model uses the provider. */
export async function removeProvider(
  transaction: TenantTransaction,
  id: string,
  actor: AuditActor,
  now: Date,
): Promise<void> {
  const provider = await lockCatalogProvider(transaction, id);
  if (provider === null) throw unknownObject("provider");
  const served = (await countModelsByProvider(transaction)).get(provider.id) ?? 0;
  if (served > 0) {
    throw new Failure("IN_USE", `Provider '${provider.slug}' still serves ${served} models. Disable them first.`);
  }
  await updateCatalogProvider(transaction, provider.id, { deleted_at: now, updated_at: now });
  await setProviderCredential(transaction, provider.id, null, now);
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: "provider.deleted",
    target: { type: "provider", id: provider.id },
    before: { slug: provider.slug },
  });
}
