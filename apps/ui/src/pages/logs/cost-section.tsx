import { Link } from "@tanstack/react-router";
import { formatShare } from "@tollgate/domain/figures/size-text.ts";
import { Check } from "lucide-react";
import { costUnits } from "../../components/cost-units.generated.ts";
import { DetailSection } from "../../components/detail-panel.tsx";
import type { CallDetail } from "../../components/logged-call.ts";
import { Money } from "../../components/money.tsx";
import { StripSwatch } from "../../components/timing-swatch.tsx";
import { useZone } from "../../components/zone.ts";
import { formatPerMillion } from "../../format/money.ts";
import { formatTime } from "../../format/time.ts";

/** Cost breakdown of a request (quantity, rate, amount) and its ledger entry. */
export function CostSection({ log }: { readonly log: CallDetail }) {
  const zone = useZone();
  const { costLines, price, settlement, cost } = log;
  if (costLines.length === 0 && cost === 0n) {
    return (
      <DetailSection title="Cost">
        <p className="text-table text-muted">No usage and no charge.</p>
      </DetailSection>
    );
  }
  return (
    <DetailSection
      title="Cost"
      note={
        price !== null && (
          <span title={price.versionId}>
            price from {price.source}
            {price.condition !== null && ` for ${price.condition}`}, effective{" "}
            {formatTime(price.effectiveFrom, "day", zone)}
          </span>
        )
      }
    >
      <div className="overflow-x-auto">
        <table className="w-full text-table">
          <thead className="text-left text-muted">
            <tr className="[&>th]:border-b [&>th]:border-border [&>th]:py-1.5 [&>th]:font-medium">
              <th>Units</th>
              <th className="text-right">Count</th>
              <th className="text-right max-sm:hidden">Rate</th>
              <th className="text-right">Amount (USD)</th>
            </tr>
          </thead>
          <tbody className="[&_td]:border-b [&_td]:border-hairline [&_td]:py-1.5">
            {costLines.map(({ unit, count, ratePerMillion, amount }) => (
              <tr key={unit}>
                <td>
                  <span className="inline-flex items-center gap-1.5">
                    <StripSwatch part={costUnits[unit].part} />
                    {costUnits[unit].label}
                  </span>
                  <span className="block text-meta text-muted sm:hidden">{rateText(ratePerMillion)}</span>
                </td>
                <td className="text-right font-medium">{count.toLocaleString("en-US")}</td>
                <td className="text-right text-muted max-sm:hidden">{rateText(ratePerMillion)}</td>
                <td className="text-right">
                  <Money nano={amount} form="exact" />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot className="font-semibold [&_td]:pt-1.5">
            <tr>
              <td>Total</td>
              <td className="text-right">
                {costLines.reduce((sum, { count }) => sum + count, 0).toLocaleString("en-US")}
              </td>
              <td className="max-sm:hidden" />
              <td className="text-right">
                <Money nano={cost} form="exact" />
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      {log.promptCache !== null && <CacheNote cache={log.promptCache} />}
      <p className="text-meta wrap-anywhere text-muted">
        <Settlement settlement={settlement} zone={zone} />
        {log.usageSource === "estimated" && " The provider reported no usage, so the gateway counted the tokens."}
      </p>
    </DetailSection>
  );
}

const rateText = (ratePerMillion: bigint | null): string =>
  ratePerMillion === null ? "Unpriced" : `× ${formatPerMillion(ratePerMillion)} per 1M`;

/** What the provider's prompt cache saved, compared with plain input. */
function CacheNote({ cache: { hitRate, saved } }: { readonly cache: NonNullable<CallDetail["promptCache"]> }) {
  return (
    <p className="text-meta text-muted">
      {hitRate !== null && `${formatShare(hitRate)} of the input came from the provider's cache. `}
      {saved < 0n ? "Writing to the cache cost " : "The cache saved "}
      <Money nano={saved < 0n ? -saved : saved} form="exact" /> USD compared with plain input.
    </p>
  );
}

function Settlement({ settlement, zone }: { settlement: CallDetail["settlement"]; zone: string }) {
  if (settlement === null) return "Not settled: no charge.";
  if (settlement.settledAt === null) return `Settlement: ${settlement.state}.`;
  return (
    <>
      <Check size={14} strokeWidth={1.5} aria-hidden className="mr-1.5 inline align-[-2px]" />
      Settled at {formatTime(settlement.settledAt, "second", zone)}
      {settlement.transactionId === null ? (
        ", no ledger entry"
      ) : (
        <>
          {" in ledger transaction "}
          <Link to="/credits" search={{ open: settlement.transactionId }} className="font-mono text-accent underline">
            {settlement.transactionId}
          </Link>
        </>
      )}
    </>
  );
}
