import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { type Selectable, sql } from "kysely";
import { readPriceTier } from "../ledger/price-tier.ts";
import { readUnitPrices } from "../ledger/unit-columns.ts";
import type { Tables } from "../tables.generated.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Usage of a call and the price at which it was charged; null if the call was refused. */
export interface ChargedCall {
  readonly usage: Usage;
  readonly price: (PriceVersion & { readonly firstSeenAt: Date }) | null;
}

const counters = sql.join(billingUnits.map(({ name, column }) => sql`${sql.ref(column)}::float8 as ${sql.ref(name)}`));

export async function findCharge(
  transaction: TenantTransaction,
  organizationId: string,
  id: string,
): Promise<ChargedCall | null> {
  const { rows } = await sql<ChargeRow>`
    select ${counters}, usage_source as source, price.*
      from usage_events left join price_versions as price on price.id = price_version_id
     where usage_events.id = ${id}::uuid and day = day_of_event(${id}::uuid) and organization_id = ${organizationId}`.execute(
    transaction,
  );
  const [row] = rows;
  return row === undefined ? null : { usage: row, price: row.id === null ? null : toPrice(row) };
}

type PriceRow = Selectable<Tables["price_versions"]>;
type ChargeRow = Usage & (PriceRow | { readonly id: null });

function toPrice(row: PriceRow): PriceVersion & { readonly firstSeenAt: Date } {
  return {
    id: row.id,
    model: row.model,
    condition: row.condition,
    firstSeenAt: row.first_seen_at,
    price: {
      ...readUnitPrices(row),
      input: row.input_pico,
      output: row.output_pico,
      tier: readPriceTier(row),
    },
  };
}
