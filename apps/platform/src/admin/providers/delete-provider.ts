import { ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  countModelsByProvider,
  lockCatalogueProvider,
  setProviderCredential,
  updateCatalogueProvider,
} from "@tollgate/db/catalogue/providers.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";

export const deleteProvider = operation({
  ...write,
  method: "DELETE",
  id: "deleteProvider",
  summary: "Remove a provider that serves no model any more; its credential is erased",
  tag: "admin",
  path: "/api/admin/providers/{id}",
  auth: "administrator",
  scope: "administrator",
  idempotency: "none",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "It is gone" } },
  handle: async (input, transaction, services) => {
    const provider = await lockCatalogueProvider(transaction, input.params.id);
    if (provider === null) throw unknownObject("provider");
    const served = (await countModelsByProvider(transaction)).get(provider.id) ?? 0;
    if (served > 0) {
      throw new ManagementFailure(
        "IN_USE",
        `The provider '${provider.slug}' serves ${served} models. Disable them first.`,
      );
    }
    const now = services.now();
    await updateCatalogueProvider(transaction, provider.id, { deleted_at: now, updated_at: now });
    await setProviderCredential(transaction, provider.id, null, now);
    await writeAudit(transaction, {
      organizationId: null,
      actor: administratorOf(input),
      action: "provider.deleted",
      target: { type: "provider", id: provider.id },
      before: { slug: provider.slug },
    });
    return { status: 204 };
  },
});
