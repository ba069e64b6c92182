import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { ProviderQuery, PublicProvider } from "@tollgate/contracts/management/provider.ts";
import { countModelsByProvider, listCatalogProviders } from "@tollgate/db/catalog/providers.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { cacheable } from "./cacheable.ts";
import { selectProviders } from "./select-providers.ts";

const List = listOf(PublicProvider);

export const listProviders = operation({
  ...read,
  id: "listProviders",
  summary: "List model providers",
  tag: "catalog",
  path: "/api/providers",
  auth: "none",
  scope: "own",
  query: ProviderQuery,
  answers: { 200: { description: "The providers", schema: List }, 304: { description: "Not modified" } },
  handle: async ({ query, headers }, services) => {
    const found = selectProviders(await readProviders(services), query);
    const start = (query.page - 1) * query.pageSize;
    const page = found.slice(start, start + query.pageSize);
    return cacheable(List, toList(page, query, found.length), headers["if-none-match"]);
  },
});

/** Lists stored providers and providers that are defined only in the settings files. */
async function readProviders({ db, models }: Services): Promise<readonly PublicProvider[]> {
  const stored = await listCatalogProviders(db);
  const counts = await countModelsByProvider(db);
  const listed = Map.groupBy(models.list(), ({ provider }) => provider);
  const known = stored.map(({ id, slug, name, website, status, createdAt }) => {
    const modelCount = (counts.get(id) ?? 0) + (listed.get(slug)?.length ?? 0);
    return { id, slug, name, website, status, modelCount, createdAt };
  });
  const others = [...listed].filter(([slug]) => !stored.some((provider) => provider.slug === slug));
  return [
    ...known,
    ...others.map(([slug, served]) => ({
      id: slug,
      slug,
      name: slug,
      website: null,
      status: "available" as const,
      modelCount: served.length,
      createdAt: null,
    })),
  ];
}
