import { type ClassCounts, REQUEST_CLASSES } from "@tollgate/domain/figures/request-class.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, settledClass, whereRefused, whereSettled } from "./call-filter.ts";
import { firstIdAt, timeOfId } from "./read-calls.ts";
import { dayOf } from "./sum-parts.ts";

/** The requests of one session that match a filter. */
interface SessionSums extends ClassCounts {
  readonly session: string;
  /** Start of the first and of the last request. */
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: NanoUsd;
  /** The first models and keys by name and ID. */
  readonly models: readonly string[];
  readonly keys: readonly { readonly id: string; readonly name: string | null }[];
}

export type SessionOrder = "lastAt" | "cost" | "requests";

interface SessionPage {
  readonly by: SessionOrder;
  readonly isDescending: boolean;
  readonly skip: number;
  readonly limit: number;
}

type ListedSessions =
  | { readonly kind: "page"; readonly sessions: readonly SessionSums[]; readonly total: number }
  /** The time range has too many requests with a session to sum all of them. */
  | { readonly kind: "too_many" };

/** Maximum number of requests that are summed. */
export const MAX_SUMMED = 100_000;
/** Maximum number of models and of keys per session. */
const MAX_NAMES = 10;

interface SessionRow extends ClassCounts {
  readonly total: number;
  /** Null if the page is past the end. */
  readonly session: string | null;
  readonly firstId: string;
  readonly lastId: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: NanoUsd;
  readonly models: readonly string[];
  readonly keyIds: readonly string[];
}

const orders: Record<SessionOrder, RawBuilder<unknown>> = {
  lastAt: sql`"lastId"`,
  cost: sql`cost`,
  requests: sql`requests`,
};

/** Sums the matching requests by session. All of them are read, so the time range must not have too many. */
export async function listRequestSessions(
  transaction: TenantTransaction,
  filter: CallFilter,
  { by, isDescending, skip, limit }: SessionPage,
): Promise<ListedSessions> {
  if ((await countUpTo(transaction, filter, MAX_SUMMED + 1)) > MAX_SUMMED) return { kind: "too_many" };
  const direction = sql.raw(isDescending ? "desc" : "asc");
  const sort = sql`${orders[by]} ${direction}, session ${direction}`;
  const { rows } = await sql<SessionRow>`
    with call as (
      ${callsOf(
        filter,
        sql`session, id, key_id, model_group, ${settledClass} as class, cost, output_tokens,
          input_tokens + cache_read_tokens + cache_write_tokens as prompt_tokens`,
        sql`session, id, key_id, model_group, class, 0::bigint, 0::bigint, 0::bigint`,
      )}
    ), summed as materialized (
      select session, min(id::text) as "firstId", max(id::text) as "lastId", count(*)::float8 as requests,
             ${sql.join(
               REQUEST_CLASSES.map(
                 (name) => sql`(count(*) filter (where class = ${name}))::float8 as ${sql.ref(name)}`,
               ),
             )},
             sum(prompt_tokens)::float8 as "promptTokens", sum(output_tokens)::float8 as "completionTokens",
             sum(cost)::bigint as cost,
             coalesce(array_agg(distinct model_group) filter (where model_group <> ''), '{}') as models,
             array_agg(distinct key_id) as "keyIds"
        from call group by session
    )
    select page.*, page.models[1:${MAX_NAMES}] as models, page."keyIds"[1:${MAX_NAMES}] as "keyIds",
           (select count(*)::float8 from summed) as total
      from (select) as one
      left join (select * from summed order by ${sort} offset ${skip} limit ${limit}) as page on true
     order by ${sort}`.execute(transaction);
  const found = rows.filter(({ session }) => session !== null);
  const names = await findNames(transaction, [...new Set(found.flatMap(({ keyIds }) => keyIds))]);
  const sessions = found.map(({ session, firstId, lastId, keyIds, total: _, ...sums }) => ({
    ...sums,
    session: session as string,
    firstAt: new Date(timeOfId(firstId)),
    lastAt: new Date(timeOfId(lastId)),
    keys: keyIds.map((id) => ({ id, name: names.get(id) ?? null })),
  }));
  return { kind: "page", sessions, total: rows[0]?.total ?? 0 };
}

async function countUpTo(transaction: TenantTransaction, filter: CallFilter, limit: number): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    select count(*)::float8 as calls
      from (select from (${callsOf(filter, sql`id`, sql`id`)}) as call limit ${limit}) as counted`.execute(transaction);
  return rows[0]?.calls ?? 0;
}

/** Selects the matching requests that have a session. Each of them is a row of its own. */
function callsOf(filter: CallFilter, settled: RawBuilder<unknown>, refused: RawBuilder<unknown>): RawBuilder<unknown> {
  const [fromMs, toMs] = [filter.from.getTime(), filter.to.getTime()];
  const time = sql`session is not null and id >= ${firstIdAt(fromMs)}::uuid and id < ${firstIdAt(toMs)}::uuid`;
  return sql`
    select ${settled} from usage_events
     where ${whereSettled(filter)} and ${time} and day between ${dayOf(fromMs)}::date and ${dayOf(toMs)}::date
    union all select ${refused} from refused_calls where ${whereRefused(filter)} and ${time}`;
}

async function findNames(transaction: TenantTransaction, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const keys = await transaction.selectFrom("api_keys").select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(keys.map(({ id, name }) => [id, name]));
}
