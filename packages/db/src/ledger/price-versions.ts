import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Records price versions in the ledger, so that calls admitted under them can be settled. Existing price versions are
 * not changed.
 */
export async function ensurePriceVersions(db: Database, versions: readonly PriceVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const rows = versions.map(({ id, model, price: { tier, ...price } }) => {
    const tierPrices = {
      tierAbove: tier?.aboveInputTokens,
      tierInput: tier?.input,
      tierOutput: tier?.output,
      tierCacheRead: tier?.cacheRead,
      tierCacheWrite: tier?.cacheWrite,
    };
    const amounts = Object.entries({ ...price, ...tierPrices });
    return { id, model, ...Object.fromEntries(amounts.map(([kind, amount]) => [kind, amount?.toString() ?? null])) };
  });
  await sql`select ensure_price_versions(${JSON.stringify(rows)}::jsonb)`.execute(db);
}
