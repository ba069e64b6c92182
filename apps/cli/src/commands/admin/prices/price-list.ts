import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import type { Operations } from "@tollgate/sdk/platform/operations.generated.ts";
import type { CommandContext } from "../../../context.ts";
import { withRecentPassword } from "../../../recent-password.ts";

/** An organization's price for one model group. */
export type PriceEntry = Omit<Operations["getOrganizationPrices"]["answer"]["entries"][number], "usd">;

/** Reads an organization's price list. */
export async function readPrices({ platform }: CommandContext, id: string): Promise<readonly PriceEntry[]> {
  const { entries } = await platform.call("getOrganizationPrices", { params: { id } });
  return entries.map(({ usd: _, ...entry }) => entry);
}

/** Replaces an organization's price list. */
export function savePrices(context: CommandContext, id: string, entries: readonly PriceEntry[]) {
  return withRecentPassword(context, () =>
    context.platform.call("updateOrganizationPrices", { params: { id }, body: { entries } }),
  );
}

/** Describes an entry, such as `-10%, +$0.001 per request` or `fixed: $2.00 in, $8.00 out`. */
export function describePrice({ percentage, fixedPerRequest, price }: PriceEntry): string {
  if (price !== null) return `fixed: ${describeRates(price).join(", ")}`;
  const share = `${percentage?.startsWith("-") === true ? "" : "+"}${percentage}%`;
  return fixedPerRequest === 0n ? share : `${share}, +${formatExactMoney(fixedPerRequest)} per request`;
}

const labels: Readonly<Record<string, string>> = {
  inputPerMillionTokens: "in",
  outputPerMillionTokens: "out",
  cachedInputPerMillionTokens: "cached",
  perRequest: "per request",
};

function describeRates({ rules = [], ...rates }: NonNullable<PriceEntry["price"]>): readonly string[] {
  const amounts = Object.entries(rates).map(
    ([name, nano]) => `${formatExactMoney(BigInt(nano))} ${labels[name] ?? name}`,
  );
  return rules.length === 0 ? amounts : [...amounts, `${rules.length} under conditions`];
}
