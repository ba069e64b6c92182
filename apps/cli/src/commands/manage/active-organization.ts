import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import { notFoundError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";
import { findOrganizationId } from "../../resolve-organization.ts";

/** Returns the command's organization: the configured organization, or the session's active organization. */
export async function activeOrganization(context: CommandContext): Promise<RowOf<"listOrganizations">> {
  const id = await findOrganizationId(context);
  for await (const organization of context.platform.all("listOrganizations", { query: { pageSize: 100 } })) {
    if (id === null ? organization.active : organization.id === id) return organization;
  }
  throw notFoundError("No active organization.", "Run tollgate orgs list, then tollgate orgs use.");
}
