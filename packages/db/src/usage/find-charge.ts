import type { PriceVersion } from "@tollgate/domain/pricing/price-version.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { type Selectable, sql } from "kysely";
import { readPriceTier } from "../ledger/price-tier.ts";
import type { Tables } from "../tables.generated.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Usage of a call and the price at which it was charged; null if the call was refused. */
export interface ChargedCall {
  readonly usage: Usage;
  readonly price: (PriceVersion & { readonly firstSeenAt: Date }) | null;
}

export async function findCharge(
  transaction: TenantTransaction,
  organizationId: string,
  id: string,
): Promise<ChargedCall | null> {
  const { rows } = await sql<ChargeRow>`
    select input_tokens::float8 as "inputTokens", cache_read_tokens::float8 as "cacheReadTokens",
           cache_write_tokens::float8 as "cacheWriteTokens", output_tokens::float8 as "outputTokens",
           reasoning_tokens::float8 as "reasoningTokens", audio_input_tokens::float8 as "audioInputTokens",
           audio_output_tokens::float8 as "audioOutputTokens", characters::float8, audio_ms::float8 as "audioMs",
           images::float8, searches::float8, usage_source as source, price.*
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
    firstSeenAt: row.first_seen_at,
    price: {
      input: row.input_pico,
      output: row.output_pico,
      cacheRead: row.cache_read_pico,
      cacheWrite: row.cache_write_pico,
      reasoning: row.reasoning_pico,
      audioInput: row.audio_input_pico,
      audioOutput: row.audio_output_pico,
      perCharacter: row.per_character_pico,
      perSecond: row.per_second_pico,
      perImage: row.per_image_pico,
      perSearch: row.per_search_pico,
      tier: readPriceTier(row),
    },
  };
}
