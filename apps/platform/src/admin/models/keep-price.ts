import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";

/** Makes a price a version that never changes and returns its id. Calls that run keep the version they began under. */
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
