import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { CommandContext } from "../../../context.ts";
import { activeOrganization } from "../active-organization.ts";
import { resolveMember } from "../teams/resolve-member.ts";

interface FoundMember {
  readonly organization: RowOf<"listOrganizations">;
  readonly member: RowOf<"listOrganizationMembers">;
}

/** Finds a member of the organization by email address or member ID. */
export async function findMember(context: CommandContext, wanted: string): Promise<FoundMember> {
  const organization = await activeOrganization(context);
  const members: RowOf<"listOrganizationMembers">[] = [];
  const input = { params: { id: organization.id }, query: { pageSize: 100 } };
  for await (const member of context.platform.all("listOrganizationMembers", input)) members.push(member);
  return { organization, member: resolveMember(wanted, members, organization.name) };
}
