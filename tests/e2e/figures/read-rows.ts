import { querySql } from "@tollgate/testkit/database.ts";

// Figures from the rows alone: usage events, requests without one, ledger postings, and accounts. The statements share
// nothing with the product's, and use neither its rollups nor its SQL functions.

export const CLASSES = ["succeeded", "failed", "refused", "rejected", "canceled"] as const;
export type ClassName = (typeof CLASSES)[number];

/** Sums of requests. */
export interface Sums extends Readonly<Record<ClassName, number>> {
  readonly name: string;
  readonly requests: number;
  /** Number of rows, of which each can stand for many requests. */
  readonly rows: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cost: bigint;
  readonly saved: bigint;
  readonly latencies: readonly number[];
}

/** A time range: the start is included and the end is not. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Every request with a row. IDs begin with the time in milliseconds. */
const REQUESTS = `
  select to_timestamp((('x' || left(replace(event.id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0) as at,
         event.id, event.organization_id, coalesce(team_id, '') as team, key_id as key, coalesce(user_id, '') as "user",
         model_group as model, coalesce(provider, '') as provider, endpoint, is_stream, http_status, error_code,
         request_id, 1 as weight, status = 'success' and attempts = 0 as is_cached, latency_ms,
         latency_ms as duration_ms, session, transaction_id, deployment_id as deployment,
         input_tokens + cache_read_tokens + cache_write_tokens as input, cache_read_tokens as cached,
         output_tokens as output, reasoning_tokens as reasoning, cost, first_token_ms,
         case status when 'success' then 'succeeded' when 'client_disconnect' then 'canceled'
           else case when http_status in (400, 413, 422) then 'rejected' else 'failed' end end as class,
         case when cache_read_tokens = 0 then 0 else
           round((input_tokens * input_pico + cache_read_tokens * (input_pico)
             + output_tokens * output_pico) / 1000.0)
           - round((input_tokens * input_pico + cache_read_tokens * coalesce(cache_read_pico, input_pico)
             + output_tokens * output_pico) / 1000.0) end as saved
    from usage_events as event left join price_versions as price on price.id = event.price_version_id
   union all
  select to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0),
         id, organization_id, coalesce(team_id, ''), key_id, coalesce(user_id, ''), model_group, '', endpoint, is_stream,
         http_status, error_code, request_id, weight, false, null, 0, session, null, null, 0, 0, 0, 0, 0, null, class, 0
    from refused_calls`;

const SUMS = `
  sum(weight)::float8 as requests, count(*)::float8 as rows,
  ${CLASSES.map((name) => `coalesce(sum(weight) filter (where class = '${name}'), 0)::float8 as ${name}`).join(", ")},
  sum(input)::float8 as input, sum(cached)::float8 as cached, sum(output)::float8 as output,
  sum(reasoning)::float8 as reasoning, sum(cost)::text as cost, sum(saved)::text as saved,
  coalesce(array_agg(latency_ms::float8 order by latency_ms) filter (where latency_ms is not null), '{}') as latencies`;

type SumRow = { readonly [Name in keyof Sums]: Sums[Name] extends bigint ? string : Sums[Name] };

const NOTHING = { name: "", rows: 0, input: 0, cached: 0, output: 0, reasoning: 0, cost: 0n, saved: 0n, latencies: [] };
export const NO_SUMS: Sums = { ...NOTHING, requests: 0, succeeded: 0, failed: 0, refused: 0, rejected: 0, canceled: 0 };

/** The rows of one organization. */
export class Rows {
  readonly #connectionString: string;
  readonly #organizationId: string;

  constructor(connectionString: string, organizationId: string) {
    this.#connectionString = connectionString;
    this.#organizationId = organizationId;
  }

  query<Row>(statement: string): Promise<Row[]> {
    return querySql<Row>(this.#connectionString, statement);
  }

  /** Sums the requests of a time range by a column or expression. `where` is a condition on columns of `REQUESTS`. */
  async sumBy(group: string, { from, to }: TimeRange, where = "true"): Promise<readonly Sums[]> {
    const rows = await this.query<SumRow>(`
      select ${group} as name, ${SUMS} from (${REQUESTS}) as requests
       where organization_id = '${this.#organizationId}' and (${where})
         and at >= '${from.toISOString()}' and at < '${to.toISOString()}'
       group by 1 order by 1`);
    return rows.map((row) => ({ ...row, cost: BigInt(row.cost), saved: BigInt(row.saved) }));
  }

  async sum(range: TimeRange, where = "true"): Promise<Sums> {
    const [sums = NO_SUMS] = await this.sumBy("''", range, where);
    return sums;
  }

  /** Returns the values of a column of single requests, oldest first. */
  async list<Row>(columns: string, { from, to }: TimeRange, where = "true"): Promise<readonly Row[]> {
    return this.query<Row>(`
      select ${columns} from (${REQUESTS}) as requests where organization_id = '${this.#organizationId}'
         and (${where}) and at >= '${from.toISOString()}' and at < '${to.toISOString()}' order by at, id`);
  }

  /** Returns the sums of ledger entries of the balance, by kind. Credits are positive. */
  async ledger(): Promise<ReadonlyMap<string, { readonly amount: bigint; readonly entries: number }>> {
    const account = `org:${this.#organizationId}:credits`;
    const rows = await this.query<{ kind: string; amount: string; entries: number }>(`
      select kind, sum(case when destination = '${account}' then amount else -amount end)::text as amount,
             count(distinct transaction_id)::float8 as entries
        from ledger_postings join ledger_transactions on id = transaction_id
       where '${account}' in (source, destination) group by kind`);
    return new Map(rows.map(({ kind, amount, entries }) => [kind, { amount: BigInt(amount), entries }]));
  }
}

/** Returns `failed` ÷ (`succeeded` + `failed`); null without either. */
export function errorRate({ succeeded, failed }: Pick<Sums, "succeeded" | "failed">): number | null {
  return succeeded + failed === 0 ? null : failed / (succeeded + failed);
}

export const cacheHitRate = ({ cached, input }: Sums): number | null => (input === 0 ? null : cached / input);

/** Spend ÷ succeeded requests, rounded half up. */
export function averageCost({ cost, succeeded }: Sums): bigint {
  return succeeded === 0 ? 0n : (2n * cost + BigInt(succeeded)) / (2n * BigInt(succeeded));
}

/** Bounds of the histogram of latencies, in milliseconds. */
const STEPS = [0, 50, 100, 200, 300, 450, 700, 1_000, 1_500, 2_200, 3_300, 5_000, 7_500].concat([
  11_000, 17_000, 25_000, 40_000, 60_000, 120_000, 300_000,
]);

/** Returns a percentile, interpolated within the step of the histogram that has it; null without a latency. */
export function percentile({ latencies }: Pick<Sums, "latencies">, part: number): number | null {
  if (latencies.length === 0) return null;
  const slowest = Math.max(...latencies);
  const wanted = part * latencies.length;
  let below = 0;
  for (const [index, low] of STEPS.entries()) {
    const high = STEPS[index + 1] ?? Infinity;
    const inStep = latencies.filter((each) => each >= low && each < high).length;
    if (inStep > 0 && below + inStep >= wanted) {
      const top = Math.max(low, Math.min(high, slowest));
      return Math.round(low + ((top - low) * (wanted - below)) / inStep);
    }
    below += inStep;
  }
  return slowest;
}
