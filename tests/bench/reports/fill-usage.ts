import { querySql } from "@tollgate/testkit/database.ts";

/** Organization whose calls fill the database. */
export interface FilledOrganization {
  readonly organizationId: string;
  readonly teamIds: readonly string[];
  readonly keyIds: readonly string[];
}

export const DAYS = 30;
const MODELS = 8;
const MODELS_OF_A_KEY = 3;
/** One in this many calls uses a rare model. */
const RARE_ONE_IN = 20_000;
/** Older days are closed and aggregated. */
const SEALED_AFTER_DAYS = 3;

/**
 * Fills a database with this many calls from one organization over the last thirty days, in the state after settlement:
 * usage rows, fifteen-minute rollups, and rollups of closed days. A few keys and models make most of the calls.
 */
export async function fillUsage(
  connectionString: string,
  { organizationId, keyIds }: FilledOrganization,
  rows: number,
  onDay: (day: number) => void,
): Promise<void> {
  const perDay = Math.ceil(rows / DAYS);
  await querySql(connectionString, `select ensure_usage_partitions(current_date - ${DAYS}, current_date)`);
  for (let ago = DAYS - 1; ago >= 0; ago -= 1) {
    await querySql(connectionString, insertCalls(organizationId, keyIds, ago, perDay));
    await querySql(connectionString, insertSums(ago));
    if (ago >= SEALED_AFTER_DAYS) await querySql(connectionString, closeDay(ago));
    onDay(ago);
  }
  await querySql(connectionString, "vacuum (analyze) usage_events, usage_rollups, usage_days");
}

const dayAgo = (days: number): string => `((now() at time zone 'UTC')::date - ${days})`;

function insertCalls(organizationId: string, keyIds: readonly string[], ago: number, calls: number): string {
  return `
    with made as (
      select start_ms + floor(random() * length_ms)::bigint as at_ms,
             (array[${keyIds.map((id) => `'${id}'`).join(", ")}])[1 + key] as key_id,
             case when random() < 1.0 / ${RARE_ONE_IN} then 'rare-model'
               else 'model-' || ((key + floor(${MODELS_OF_A_KEY} * random() ^ 2)::integer) % ${MODELS}) end as model,
             random() as chance, exp(5 + 5 * random())::integer as latency_ms,
             (exp(3 + 6 * random()))::bigint as input_tokens, (exp(2 + 5 * random()))::bigint as output_tokens
        from (select floor(${keyIds.length} * random() ^ 2)::integer as key from generate_series(1, ${calls})) as calls,
             lateral (select extract(epoch from ${dayAgo(ago)})::bigint * 1000 as start_ms) as day,
             lateral (select least(86400000, (extract(epoch from now()) * 1000)::bigint - start_ms) as length_ms) as span
    ), named as (
      select (lpad(to_hex(at_ms), 12, '0') || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid as id, *
        from made order by at_ms
    )
    insert into usage_events (id, day, organization_id, team_id, key_id, request_id, endpoint, model_group, deployment_id,
      provider, is_stream, status, http_status, error_code, input_tokens, cache_read_tokens, cache_write_tokens,
      output_tokens, reasoning_tokens, usage_source, price_version_id, cost, is_billed, hold, from_lease, node_id, epoch,
      latency_ms, first_token_ms, ended_at, gateway_before_us, queue_us, failed_us, gateway_after_us)
    select named.id, day_of_event(named.id), '${organizationId}', key.team_id, key_id, named.id::text, 'chat.completions', model,
      model || '-1', 'provider-' || right(model, 1), true,
      case when chance < 0.02 then 'failure' when chance < 0.03 then 'client_disconnect' else 'success' end, 200,
      case when chance < 0.002 then 'timeout' when chance < 0.02 then 'upstream_rate_limit' end,
      input_tokens, 0, 0, output_tokens, 0, 'reported', null, input_tokens * 20 + output_tokens * 60, true, 0, 0,
      'node_00000000000000000000000000', 1, named.latency_ms, named.latency_ms / 4, to_timestamp(at_ms / 1000.0),
      400, 0, 0, 100
    from named join api_keys as key on key.id = named.key_id`;
}

/** Returns SQL that closes the day for the organization and for the whole database, which triggers the day's rollup. */
function closeDay(ago: number): string {
  return `
    insert into usage_day_seals (day, organization_id, events, cost, billed, digest)
    select day, organization_id, count(*), sum(cost), sum(cost), ''::bytea from usage_events where day = ${dayAgo(ago)} group by 1, 2
    union all
    select ${dayAgo(ago)}, '', 0, 0, 0, ''::bytea`;
}

/** Adds the rollups that settlement would compute, with one statement for a whole day. */
function insertSums(ago: number): string {
  return `select add_to_rollups(array_agg(call)) from (select call from usage_events as call where day = ${dayAgo(ago)}) as day`;
}
