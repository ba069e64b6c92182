import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface Membership {
  readonly organizationId: string;
  readonly role: OrganizationRole;
}

/**
 * Lists the open organizations that a user belongs to, with the user's role in each. The preferred organization comes
 * first, if it is included.
 */
export async function listMemberships(
  transaction: TenantTransaction,
  userId: number,
  preferredId: string | null,
): Promise<readonly Membership[]> {
  const { rows } = await sql<Membership>`
    select m.organization_id as "organizationId", m.role
    from organization_members m
    join organizations o on o.id = m.organization_id and o.status = 'active'
    where m.user_id = ${userId}
    order by m.organization_id = ${preferredId} desc nulls last, m.organization_id`.execute(transaction);
  return rows;
}
