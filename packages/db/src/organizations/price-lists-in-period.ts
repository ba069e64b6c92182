import type { PriceTerms } from "@tollgate/domain/pricing/price-terms.ts";
import type { StoredFixedPrice } from "@tollgate/domain/pricing/stored-price-rules.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { readTerms } from "./price-list.ts";

/** Terms by model group, as one price list had them. `*` is for all groups without their own. */
type TermsByGroup = ReadonlyMap<string, PriceTerms>;

interface Period {
  readonly from: Date;
  /** End of the period, exclusive. */
  readonly to: Date;
  /** All organizations if absent. */
  readonly organizationId?: string;
}

/**
 * Returns the price lists that each organization had during a period, from the audit log and from the current lists.
 * Organizations that never had a list are left out. A list counts for an hour longer than it was in effect, because
 * requests are charged at the list that their gateway knew when they started.
 */
export async function readPriceListsInPeriod(
  db: Database,
  { from, to, ...only }: Period,
): Promise<ReadonlyMap<string, readonly TermsByGroup[]>> {
  const organizationId = only.organizationId ?? null;
  const { rows } = await sql<{
    organizationId: string;
    list: string;
    modelGroup: string | null;
    shareMillionths: string;
    fixedNanoUsd: string;
    fixed: StoredFixedPrice | null;
  }>`
    with changes as (
      select organization_id, seq, at, before -> 'entries' as before, after -> 'entries' as after,
        lead(at) over one_organization as until, row_number() over one_organization as number
      from audit_log
      where action = 'organization.prices_changed' and (${organizationId}::text is null or organization_id = ${organizationId})
      window one_organization as (partition by organization_id order by seq)
    ), recorded as (
      select organization_id, 'after ' || seq as list, after as entries from changes
       where at < ${to} and (until is null or until > ${from}::timestamptz - interval '1 hour')
      union all
      select organization_id, 'before ' || seq, before from changes
       where number = 1 and at > ${from}::timestamptz - interval '1 hour'
    )
    select organization_id as "organizationId", list, entry ->> 'model' as "modelGroup",
      (coalesce(entry ->> 'percentage', '0')::numeric * 10000)::bigint::text as "shareMillionths",
      coalesce(entry ->> 'fixedPerRequest', '0') as "fixedNanoUsd", nullif(entry -> 'price', 'null'::jsonb) as fixed
    from recorded left join jsonb_array_elements(entries) as entry on true
    union all
    select organization_id, 'current', model_group, share_millionths::text, fixed_nano::text, fixed
    from price_list_entries
    where updated_at < ${to} and (${organizationId}::text is null or organization_id = ${organizationId})`.execute(db);
  const lists = Map.groupBy(rows, (row) => row.organizationId);
  return new Map(
    [...lists].map(([id, entries]) => [
      id,
      [...Map.groupBy(entries, ({ list }) => list).values()].map(
        (list) =>
          new Map(
            list.flatMap(({ modelGroup, shareMillionths, fixedNanoUsd, fixed }) =>
              modelGroup === null
                ? []
                : [[modelGroup, readTerms(BigInt(shareMillionths), BigInt(fixedNanoUsd), fixed)] as const],
            ),
          ),
      ),
    ]),
  );
}
