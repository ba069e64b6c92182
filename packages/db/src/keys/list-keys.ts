import { sql } from "kysely";
import { containing } from "../like-pattern.ts";
import type { TenantTransaction } from "../tenancy.ts";
import {
  type KeyReader,
  type KeyRow,
  type KeyStatus,
  type KeyView,
  keyColumns,
  keyStatus,
  lastUse,
  visibleKeys,
  withMoney,
} from "./key-view.ts";

interface KeyFilter {
  /** Matches part of the name, or the last four characters of the secret. */
  readonly search: string | null;
  readonly teamId: string | null;
  /** Empty for all statuses. */
  readonly statuses: readonly KeyStatus[];
  readonly createdBy: number | null;
  readonly sort: KeySort;
  readonly limit: number;
  readonly offset: number;
}

type KeySort = `${"" | "-"}${"createdAt" | "name" | "lastUsedAt"}`;

const sortColumns = { createdAt: sql`key.created_at`, name: sql`lower(key.name)`, lastUsedAt: lastUse };

/** Lists one page of the keys that the reader can see, and counts them. */
export async function listKeys(
  transaction: TenantTransaction,
  reader: KeyReader,
  filter: KeyFilter,
): Promise<{ readonly keys: readonly KeyView[]; readonly total: number }> {
  const { search, teamId, statuses, createdBy, sort } = filter;
  const wanted = sql`${visibleKeys(reader)}
    and (${search}::text is null or key.name ilike ${containing(search ?? "")} or key.last_four = ${search})
    and (${teamId}::text is null or key.team_id = ${teamId})
    and (${createdBy}::bigint is null or key.user_id = ${createdBy}::bigint)
    and (${statuses.length === 0} or ${keyStatus(reader.now)} = any (${statuses}::text[]))`;
  const direction = sort.startsWith("-") ? sql`desc nulls last` : sql`asc nulls last`;
  const column = sortColumns[sort.replace("-", "") as keyof typeof sortColumns];
  const { rows } = await sql<KeyRow>`
    select ${keyColumns(reader)} ${wanted}
    order by ${column} ${direction}, key.id ${direction}
    limit ${filter.limit} offset ${filter.offset}`.execute(transaction);
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${wanted}`.execute(transaction);
  return { keys: await withMoney(transaction, rows, reader), total: counted.rows[0]?.total ?? 0 };
}
