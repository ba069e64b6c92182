import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { CostQuote } from "@tollgate/sdk/gateway";

interface CostEstimateProps {
  /** One quote per model; null if unknown. */
  readonly quotes: readonly (CostQuote | null)[];
  /** Mean cost of recent requests, one per model; null without any. */
  readonly typical: readonly (bigint | null)[];
}

/** Input tokens of a request, what such requests usually cost, and the maximum that this one can cost. */
export function CostEstimate({ quotes, typical }: CostEstimateProps) {
  const known = quotes.filter((quote) => quote !== null);
  if (known.length === 0 || known.length < quotes.length) return null;
  const tokens = known.flatMap(({ input_tokens: count }) => (count > 0 ? [count.toLocaleString("en-US")] : []));
  const most = known.reduce((sum, quote) => sum + BigInt(quote.worst_case_nano_usd), 0n);
  const usual = typical.every((cost) => cost !== null) ? typical.reduce((sum, cost) => sum + cost, 0n) : null;
  return (
    <>
      {tokens.length > 0 && `${tokens.join(" and ")} input tokens, `}
      {usual !== null && (
        <>
          typically{" "}
          <strong className="font-semibold text-text" title="Mean cost of your requests in the last 14 days">
            {formatMoney(usual)}
          </strong>
          ,{" "}
        </>
      )}
      up to <strong className="font-semibold text-text">{formatMoney(most)}</strong>
      {known.length === 2 ? " for both" : known.length > 2 ? " for all" : ""}
    </>
  );
}
