import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "../../context.ts";
import { resolveName } from "../../resolve-name.ts";

/** Finds any organization on the server by name or ID. */
export async function findOrganization(
  { platform }: CommandContext,
  wanted: string,
): Promise<{ readonly id: string; readonly name: string }> {
  if (/^org_[0-9a-z]{26}$/i.test(wanted)) {
    return (await platform.call("getAdminOrganization", { params: { id: wanted } })).organization;
  }
  const { data } = await platform.call("listAdminOrganizations", { query: { search: wanted, pageSize: 100 } });
  return resolveName<RowOf<"listAdminOrganizations">>("organization", wanted, data);
}
