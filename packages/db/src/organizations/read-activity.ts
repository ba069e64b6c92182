import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import { type KeyStatus, keyStatus, lastUse } from "../keys/key-view.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Maximum numbers of members, keys, and models. The most expensive keys and models come first. */
const MAX_ROWS = 100;

/** What an organization does, for an administrator who views it. */
interface OrganizationActivity {
  readonly members: readonly ActiveMember[];
  readonly keys: readonly ActiveKey[];
  readonly models: readonly { readonly model: string; readonly cost: NanoUsd }[];
  readonly days: readonly { readonly day: string; readonly cost: NanoUsd }[];
}

interface ActiveMember {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: OrganizationRole;
}

interface ActiveKey {
  readonly id: string;
  readonly name: string;
  readonly teamName: string;
  readonly status: KeyStatus;
  readonly lastUsedAt: Date | null;
  readonly cost: NanoUsd;
}

/** Reads the members, the keys, and the spend since a time, by model and by day in the organization's time zone. */
export async function readActivity(
  transaction: TenantTransaction,
  organizationId: string,
  { since, now }: { readonly since: Date; readonly now: Date },
): Promise<OrganizationActivity> {
  const spent = sql`from usage_rollups used where used.organization_id = ${organizationId} and used.bucket_at >= ${since}`;
  const { rows: members } = await sql<ActiveMember>`
    select u.id, u.name, u.email, m.role
    from organization_members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId}
    order by m.joined_at, u.id
    limit ${MAX_ROWS}`.execute(transaction);
  const { rows: keys } = await sql<ActiveKey>`
    select key.id, key.name, team.name as "teamName", ${keyStatus(now)} as status, ${lastUse} as "lastUsedAt",
      coalesce(costs.cost, 0)::bigint as cost
    from api_keys key
    join teams team on team.id = key.team_id
    left join (select used.key_id, sum(used.cost) as cost ${spent} group by used.key_id) costs on costs.key_id = key.id
    where key.organization_id = ${organizationId} and key.revoked_at is null
    order by cost desc, key.created_at, key.id
    limit ${MAX_ROWS}`.execute(transaction);
  const { rows: models } = await sql<{ model: string; cost: NanoUsd }>`
    select used.model_group as model, sum(used.cost)::bigint as cost ${spent}
    group by used.model_group
    order by cost desc, model
    limit ${MAX_ROWS}`.execute(transaction);
  const { rows: days } = await sql<{ day: string; cost: NanoUsd }>`
    select to_char(used.bucket_at at time zone
      (select timezone from organizations where id = ${organizationId}), 'YYYY-MM-DD') as day, sum(used.cost)::bigint as cost
    ${spent}
    group by day
    order by day`.execute(transaction);
  return { members, keys, models, days };
}
