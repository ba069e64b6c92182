import { usageError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { resolveName } from "../../../resolve-name.ts";
import { findOrganization } from "../find-organization.ts";

export const adminTeamFields = [
  "id",
  "organizationId",
  "name",
  "status",
  "blockedReason",
  "blockedAt",
  "createdAt",
  "updatedAt",
] as const;

/** Finds any team on the server by ID, or by name within an organization. */
export async function findTeamId(
  context: CommandContext,
  wanted: string,
  organization: string | undefined,
): Promise<string> {
  if (/^team_[0-9a-z]{26}$/i.test(wanted)) return wanted;
  if (organization === undefined)
    throw usageError(`'${wanted}' is not a team ID.`, "To specify a team by name, add its organization with --of ORG.");
  const { id } = await findOrganization(context, organization);
  const { teams } = await context.platform.call("getAdminOrganization", { params: { id } });
  return resolveName("team", wanted, teams).id;
}
