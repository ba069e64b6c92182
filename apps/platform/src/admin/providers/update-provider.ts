import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { AdminProvider, UpdateProviderBody } from "@tollgate/contracts/management/provider.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  type CatalogProvider,
  credentialPurpose,
  findCatalogProvider,
  lockCatalogProvider,
  setProviderCredential,
  updateCatalogProvider,
} from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";
import { changesBetween } from "../models/audited-model.ts";
import { slugTaken } from "./create-provider.ts";
import { auditedProvider, describeProviders } from "./describe-provider.ts";
import { checkBaseUrl, checkKind, type ProviderServices, readBaseUrl, readWebsite } from "./provider-fields.ts";

export const updateProvider = operation({
  ...write,
  method: "PATCH",
  id: "updateProvider",
  summary: "Update a provider, its base URL, or its credential",
  tag: "admin",
  path: "/api/admin/providers/{id}",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  body: UpdateProviderBody,
  answers: { 200: { description: "The provider", schema: Type.Object({ provider: AdminProvider }) } },
  before: ({ body }, services) => checkBaseUrl(body, services),
  handle: async (input, transaction, services) => {
    const provider = await changeProvider(transaction, input.params.id, input.body, administratorOf(input), services);
    return { status: 200, body: { provider } };
  },
});

/**
 * Updates the given fields of a provider and encrypts its credential. A stored credential is never sent to a different
 * host.
 */
export async function changeProvider(
  transaction: TenantTransaction,
  id: string,
  body: UpdateProviderBody,
  actor: AuditActor,
  services: ProviderServices,
): Promise<AdminProvider> {
  const before = await lockCatalogProvider(transaction, id);
  if (before === null) throw unknownObject("provider");
  if (body.kind !== undefined && body.kind !== before.kind) {
    throw new Failure("WRONG_STATE", "The kind of a provider cannot be changed. Create another provider instead.");
  }
  const baseUrl = readBaseUrl(body, before.baseUrl, services);
  checkKind(before.kind, baseUrl, services);
  const [{ hasApiKey: hadApiKey } = { hasApiKey: false }] = await describeProviders(transaction, [before]);
  if (hadApiKey && body.apiKey === undefined) refuseCarriedCredential(before, baseUrl);
  const now = services.now();
  const outcome = await updateCatalogProvider(transaction, before.id, {
    slug: body.slug ?? before.slug,
    name: body.name ?? before.name,
    base_url: baseUrl,
    website: readWebsite(body.website, before.website),
    status: body.status ?? before.status,
    updated_at: now,
  });
  if (outcome === "exists") throw slugTaken(body.slug ?? before.slug);
  if (body.apiKey !== undefined) {
    const sealed = body.apiKey === null ? null : services.secrets.seal(body.apiKey, credentialPurpose(before.id));
    await setProviderCredential(transaction, before.id, sealed, now);
  }
  const after = (await findCatalogProvider(transaction, before.id)) as CatalogProvider;
  const [provider] = await describeProviders(transaction, [after]);
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: body.apiKey === undefined ? "provider.updated" : "provider.credential_changed",
    target: { type: "provider", id: before.id },
    ...changesBetween(auditedProvider(before, hadApiKey), auditedProvider(after, provider?.hasApiKey ?? false)),
  });
  return provider as AdminProvider;
}

/**
 * Throws if the host changes without a new credential, because a stored credential must not be sent to a different
 * host.
 */
function refuseCarriedCredential(before: CatalogProvider, baseUrl: string | null): void {
  if (originOf(before.baseUrl) === originOf(baseUrl)) return;
  throw new Failure(
    "INVALID_FIELD",
    "apiKey is required when baseUrl changes to another host, so that the stored credential is not sent to it.",
    { publicDetails: { fields: { apiKey: "is required when the host changes" } } },
  );
}

const originOf = (baseUrl: string | null): string | null => (baseUrl === null ? null : new URL(baseUrl).origin);
