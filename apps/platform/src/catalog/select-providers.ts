import type { ProviderQuery, PublicProvider } from "@tollgate/contracts/management/provider.ts";

/** Returns the providers that match a query, in its sort order. */
export function selectProviders<Provider extends Pick<PublicProvider, "id" | "slug" | "name" | "createdAt">>(
  providers: readonly Provider[],
  query: ProviderQuery,
): readonly Provider[] {
  const wanted = query.search?.toLowerCase() ?? "";
  const direction = query.sort.startsWith("-") ? -1 : 1;
  const isByName = query.sort.endsWith("name");
  return providers
    .filter(({ slug, name }) => [slug, name].some((text) => text.toLowerCase().includes(wanted)))
    .toSorted((one, other) => {
      const order = isByName
        ? byText(one.name.toLowerCase(), other.name.toLowerCase())
        : (one.createdAt?.getTime() ?? 0) - (other.createdAt?.getTime() ?? 0);
      return direction * order || byText(one.id, other.id);
    });
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
