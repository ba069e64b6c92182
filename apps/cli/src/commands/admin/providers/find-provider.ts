import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "../../../context.ts";
import { resolveName } from "../../../resolve-name.ts";

/** Finds a provider in the database by slug or ID. */
export async function findProvider({ platform }: CommandContext, wanted: string): Promise<RowOf<"listAdminProviders">> {
  const rows: RowOf<"listAdminProviders">[] = [];
  for await (const row of platform.all("listAdminProviders", { query: { pageSize: 100 } })) rows.push(row);
  return rows.find(({ slug }) => slug === wanted) ?? resolveName("provider", wanted, rows);
}
