import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Makes prices known to the books, so that calls admitted under them can be settled. Those that are known stay as they are. */
export async function ensurePriceVersions(db: Database, versions: readonly PriceVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const rows = versions.map(({ id, model, price }) => ({
    id,
    model,
    input: price.input.toString(),
    output: price.output.toString(),
    cacheRead: price.cacheRead?.toString() ?? null,
    cacheWrite: price.cacheWrite?.toString() ?? null,
    reasoning: price.reasoning?.toString() ?? null,
  }));
  await sql`select ensure_price_versions(${JSON.stringify(rows)}::jsonb)`.execute(db);
}
