import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";

/** Stores a price as an immutable version and returns its ID. Running calls keep the version that they started with. */
export async function savePriceVersion(
  transaction: TenantTransaction,
  provider: { readonly kind: string },
  inferenceModelId: string,
  price: Price | null,
): Promise<string | null> {
  if (price === null) return null;
  const model = `${provider.kind}/${inferenceModelId}`;
  const id = priceVersionId(model, price);
  await ensurePriceVersions(transaction, [{ id, model, price }]);
  return id;
}
