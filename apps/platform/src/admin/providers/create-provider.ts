import { Failure } from "@tollgate/contracts/failures.ts";
import { AdminProvider, CreateProviderBody } from "@tollgate/contracts/management/provider.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  type CatalogProvider,
  credentialPurpose,
  findCatalogProvider,
  insertCatalogProvider,
  setProviderCredential,
} from "@tollgate/db/catalog/providers.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";
import { auditedProvider, describeProviders } from "./describe-provider.ts";
import { checkBaseUrl, checkKind, type ProviderServices, readBaseUrl, readWebsite } from "./provider-fields.ts";

export const createProvider = operation({
  ...write,
  id: "createProvider",
  summary: "Create a provider; its credential is stored encrypted and never returned",
  tag: "admin",
  path: "/api/admin/providers",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  body: CreateProviderBody,
  answers: { 201: { description: "The provider", schema: Type.Object({ provider: AdminProvider }) } },
  before: ({ body }, services) => checkBaseUrl(body, services),
  handle: async (input, transaction, services) => {
    const created = await addProvider(transaction, input.body, administratorOf(input), services);
    const [provider] = await describeProviders(transaction, [created]);
    return { status: 201, body: { provider } };
  },
});

/**
 * Stores a provider with its encrypted credential and writes an audit log entry. The caller has already checked the
 * base URL.
 */
export async function addProvider(
  transaction: TenantTransaction,
  body: CreateProviderBody,
  actor: AuditActor,
  services: ProviderServices,
): Promise<CatalogProvider> {
  const baseUrl = readBaseUrl(body, null, services);
  checkKind(body.kind, baseUrl, services);
  const now = services.now();
  const id = makePrefixedId("prov", now.getTime());
  const outcome = await insertCatalogProvider(transaction, {
    id,
    slug: body.slug,
    name: body.name ?? body.slug,
    kind: body.kind,
    base_url: baseUrl,
    website: readWebsite(body.website, null),
    status: body.status ?? "available",
    created_at: now,
    updated_at: now,
  });
  if (outcome === "exists") throw slugTaken(body.slug);
  if (typeof body.apiKey === "string") {
    const sealed = services.secrets.seal(body.apiKey, credentialPurpose(id));
    await setProviderCredential(transaction, id, sealed, now);
  }
  const created = (await findCatalogProvider(transaction, id)) as CatalogProvider;
  await writeAudit(transaction, {
    organizationId: null,
    actor,
    action: "provider.created",
    target: { type: "provider", id },
    after: auditedProvider(created, typeof body.apiKey === "string"),
  });
  return created;
}

export function slugTaken(slug: string): Failure {
  return new Failure("PROVIDER_EXISTS", `Slug '${slug}' is already used by another provider. Choose a different slug.`);
}
