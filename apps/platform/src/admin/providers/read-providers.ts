import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { AdminProvider, ProviderQuery } from "@tollgate/contracts/management/provider.ts";
import { findCatalogProvider, listCatalogProviders } from "@tollgate/db/catalog/providers.ts";
import Type from "typebox";
import { selectProviders } from "../../catalog/select-providers.ts";
import { operation, read } from "../../operation.ts";
import { describeProviders } from "./describe-provider.ts";

export const listAdminProviders = operation({
  ...read,
  id: "listAdminProviders",
  summary: "List catalog providers with their base URLs",
  tag: "admin",
  path: "/api/admin/providers",
  auth: "administrator",
  scope: "administrator",
  query: ProviderQuery,
  answers: { 200: { description: "The providers", schema: listOf(AdminProvider) } },
  handle: async ({ query }, transaction) => {
    const found = selectProviders(await listCatalogProviders(transaction), query);
    const start = (query.page - 1) * query.pageSize;
    const page = await describeProviders(transaction, found.slice(start, start + query.pageSize));
    return { status: 200, body: toList(page, query, found.length) };
  },
});

export const getAdminProvider = operation({
  ...read,
  id: "getAdminProvider",
  summary: "Get a catalog provider",
  tag: "admin",
  path: "/api/admin/providers/{id}",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The provider", schema: Type.Object({ provider: AdminProvider }) } },
  handle: async ({ params }, transaction) => {
    const found = await findCatalogProvider(transaction, params.id);
    if (found === null) throw unknownObject("provider");
    const [provider] = await describeProviders(transaction, [found]);
    return { status: 200, body: { provider } };
  },
});
