import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface NamedKey {
  readonly hash: string;
  readonly name: string;
  readonly teamId: string;
}

/** Returns the names of these keys, including revoked keys. */
export async function findKeyNames(
  transaction: TenantTransaction,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, NamedKey>> {
  const { rows } = await sql<NamedKey & { readonly id: string }>`
    select id, encode(token_hash, 'hex') as hash, name, team_id as "teamId" from api_keys
     where id = any (${[...keyIds]}::text[])`.execute(transaction);
  return new Map(rows.map(({ id, ...key }) => [id, key]));
}

/** Returns the names of these teams, including deleted teams. */
export async function findTeamNames(
  transaction: TenantTransaction,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ readonly id: string; readonly name: string }>`
    select id, name from teams where id = any (${[...teamIds]}::text[])`.execute(transaction);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
