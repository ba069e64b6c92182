import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { type Selectable, sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Tables } from "../tables.generated.ts";
import { readPriceTier } from "./price-tier.ts";
import { readUnitPrices } from "./unit-columns.ts";

/**
 * Records price versions in the ledger, so that calls admitted under them can be settled. Existing price versions are
 * not changed.
 */
export async function ensurePriceVersions(db: Database, versions: readonly PriceVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const all = versions.flatMap((version) => (version.cost === undefined ? [version] : [version.cost, version]));
  const rows = all.map(({ id, model, price: { tier, ...price }, condition = null, cost }) => {
    const tierPrices = {
      tierAbove: tier?.aboveInputTokens,
      tierInput: tier?.input,
      tierOutput: tier?.output,
      tierCacheRead: tier?.cacheRead,
      tierCacheWrite: tier?.cacheWrite,
      tierLongCacheWrite: tier?.longCacheWrite,
    };
    const amounts = Object.entries({ ...price, ...tierPrices });
    const texts = Object.fromEntries(amounts.map(([kind, amount]) => [kind, amount?.toString() ?? null]));
    return { id, model, condition, costVersionId: cost?.id ?? null, ...texts };
  });
  await sql`select ensure_price_versions(${JSON.stringify(rows)}::jsonb)`.execute(db);
}

/** Reads price versions, with the versions of their costs. */
export async function readPriceVersions(db: Database, ids: readonly string[]): Promise<readonly PriceVersion[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("price_versions").selectAll().where("id", "in", ids).execute();
  const costIds = rows.flatMap(({ cost_version_id: id }) => id ?? []);
  const costs =
    costIds.length === 0 ? [] : await db.selectFrom("price_versions").selectAll().where("id", "in", costIds).execute();
  const byId = new Map(costs.map((row) => [row.id, toVersion(row)]));
  return rows.map((row) => {
    const cost = row.cost_version_id === null ? undefined : byId.get(row.cost_version_id);
    return { ...toVersion(row), ...(cost !== undefined && { cost }) };
  });
}

function toVersion(row: Selectable<Tables["price_versions"]>): PriceVersion {
  const prices = readUnitPrices(row);
  const price = tokenPrice(row.input_pico, row.output_pico, { ...prices, tier: readPriceTier(row) });
  return { id: row.id, model: row.model, price, condition: row.condition };
}
