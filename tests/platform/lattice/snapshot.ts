import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { sql } from "kysely";
import type { World } from "./world.ts";

/** All rows that could give a user a permission: one line of text per row, by table and ID. */
export type Snapshot = ReadonlyMap<string, string>;

/** Current permissions, as read from the rows. */
export interface Rights {
  isAdministrator(userId: number): boolean;
  organizationRole(userId: number, organizationId: string): "owner" | "admin" | "member" | null;
  teamRole(userId: number, teamId: string): "admin" | "member" | null;
}

interface Row {
  readonly name: string;
  readonly value: string;
}

/** Reads the state of the test setup's users and organizations, and of everything else that those users own. */
export async function takeSnapshot({ platform, actors }: World): Promise<Snapshot> {
  const people = Object.values(actors).map(({ userId }) => userId);
  const { rows } = await runAsAdministrator(platform.services.db, (transaction) =>
    sql<Row>`
      with of_world as (
        select id from organizations
        where owner_id = any (${people}::integer[])
          or id in (select organization_id from organization_members where user_id = any (${people}::integer[]))
      )
      select 'user:' || id as name, concat_ws('|', role, status, email) as value from users where id = any (${people}::integer[])
      union all
      select 'organization:' || id, concat_ws('|', name, status, owner_id, billing_email, log_prompts, log_retention_days)
        from organizations where id in (select id from of_world)
      union all
      select 'member:' || organization_id || ':' || user_id, role from organization_members
        where organization_id in (select id from of_world)
      union all
      select 'team:' || organization_id || ':' || id, concat_ws('|', name, status, blocked_reason, models::text, rpm_limit, tpm_limit, deleted_at is null)
        from teams where organization_id in (select id from of_world)
      union all
      select 'teammate:' || organization_id || ':' || team_id || ':' || user_id, role from team_members
        where organization_id in (select id from of_world)
      union all
      select 'key:' || organization_id || ':' || id, concat_ws('|', team_id, coalesce(user_id, 0), name, disabled_at is null, revoked_at is null, models::text, encode(token_hash, 'hex'), rpm_limit)
        from api_keys where organization_id in (select id from of_world)
      union all
      select 'budget:' || organization_id || ':' || scope || scope_id, amount || '|' || period from budgets
        where organization_id in (select id from of_world)
      union all
      select 'invitation:' || organization_id || ':' || id, concat_ws('|', coalesce(team_id, 'none'), invited_by, email, role, status) from invitations
        where organization_id in (select id from of_world)
      union all
      select 'balance:' || organization_id, balance::text from organization_quota where organization_id in (select id from of_world)
      union all
      select 'purchase:' || organization_id || ':' || id, status || '|' || amount from purchases
        where organization_id in (select id from of_world)
      union all
      select 'webhook:' || organization_id || ':' || id, url from webhooks
        where organization_id in (select id from of_world)
      union all
      select 'provider:' || id, concat_ws('|', name, base_url, status) from providers
      union all
      select 'model:' || id, concat_ws('|', name, status, price_version_id) from catalogue_models`.execute(transaction),
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Derives permissions from a snapshot. */
export function readRights(snapshot: Snapshot): Rights {
  return {
    isAdministrator: (userId) => snapshot.get(`user:${userId}`)?.startsWith("admin|active") === true,
    organizationRole: (userId, organizationId) => {
      if (snapshot.get(`organization:${organizationId}`)?.split("|")[1] !== "active") return null;
      return (snapshot.get(`member:${organizationId}:${userId}`) ?? null) as ReturnType<Rights["organizationRole"]>;
    },
    teamRole: (userId, teamId) => {
      for (const [name, role] of snapshot) {
        if (name.startsWith("teammate:") && name.endsWith(`:${teamId}:${userId}`)) return role as "admin" | "member";
      }
      return null;
    },
  };
}

/** Returns the names of all new, deleted, and changed rows. */
export function compare(before: Snapshot, after: Snapshot): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
