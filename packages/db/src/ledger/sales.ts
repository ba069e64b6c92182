import { followsFromList, mayBeFixed, mayHaveTerms } from "@tollgate/domain/pricing/may-follow-terms.ts";
import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { readPriceListsInPeriod } from "../organizations/price-lists-in-period.ts";
import { readPriceVersions } from "./price-versions.ts";

export interface RatedPeriod {
  readonly from: Date;
  /** End of the period, exclusive. */
  readonly to: Date;
  readonly organizationId?: string;
}

/** An organization's calls of one model group at one price. */
export interface Sale {
  readonly organizationId: string;
  readonly priceVersionId: string;
  readonly modelGroup: string;
}

/** Lists what a period's charged calls were sold as. `organizations` is null for all organizations. */
async function listSales(
  db: Database,
  { from, to, organizationId }: RatedPeriod,
  organizations: readonly string[] | null = null,
): Promise<readonly Sale[]> {
  const only = organizationId === undefined ? organizations : [organizationId];
  const { rows } = await sql<Sale>`
    select distinct event.organization_id as "organizationId", event.price_version_id as "priceVersionId",
      event.model_group as "modelGroup"
      from usage_events event
     where event.day between (${from}::timestamptz at time zone 'UTC')::date and (${to}::timestamptz at time zone 'UTC')::date
       and time_of_event(event.id) >= ${from} and time_of_event(event.id) < ${to}
       and event.is_billed and event.state = 'settled' and event.price_version_id is not null
       and (${only}::text[] is null or event.organization_id = any (${only}))
     order by 1, 2, 3`.execute(db);
  return rows;
}

/** Lists sales whose organization may have had terms of its own, although their price equals the standard price. */
export async function listSalesWithTerms(db: Database, period: RatedPeriod): Promise<readonly Sale[]> {
  const lists = await readPriceListsInPeriod(db, period);
  if (lists.size === 0) return [];
  const sales = await listSales(db, period, [...lists.keys()]);
  const versions = await readVersionsOf(db, sales);
  return sales.filter(({ organizationId, priceVersionId, modelGroup }) => {
    const version = versions.get(priceVersionId);
    if (version === undefined) return false;
    return lists.get(organizationId)?.some((list) => mayHaveTerms(version, list, modelGroup));
  });
}

/** Sales of a period by whether their prices are known to follow from the provider's. */
interface SalesByOrigin {
  /** Price versions of which at least one sale follows from the provider's price. */
  readonly versions: readonly PriceVersion[];
  /** Sales at these versions that may have another origin, such as a contract. */
  readonly others: readonly Sale[];
}

/**
 * Finds the sales whose prices follow from the provider's: at the provider's price, or with the percentage that the
 * organization's price list had during the whole period. Equal ratios prove nothing, because every price of one rate
 * has a ratio.
 */
export async function findSalesByOrigin(db: Database, period: RatedPeriod): Promise<SalesByOrigin> {
  const lists = await readPriceListsInPeriod(db, period);
  const sales = await listSales(db, period);
  const versions = await readVersionsOf(db, sales);
  const follows = ({ organizationId, priceVersionId, modelGroup }: Sale): boolean => {
    const version = versions.get(priceVersionId);
    const own = lists.get(organizationId) ?? [];
    if (version === undefined || own.some((list) => mayBeFixed(version, list))) return false;
    if (version.cost === undefined) return true;
    return own.length > 0 && own.every((list) => followsFromList(version, list, modelGroup));
  };
  const found = Map.groupBy(sales, follows);
  const known = new Set((found.get(true) ?? []).map(({ priceVersionId }) => priceVersionId));
  return {
    versions: [...versions.values()].filter(({ id }) => known.has(id)),
    others: (found.get(false) ?? []).filter(({ priceVersionId }) => known.has(priceVersionId)),
  };
}

async function readVersionsOf(db: Database, sales: readonly Sale[]): Promise<ReadonlyMap<string, PriceVersion>> {
  const ids = [...new Set(sales.map(({ priceVersionId }) => priceVersionId))];
  return new Map((await readPriceVersions(db, ids)).map((version) => [version.id, version]));
}
