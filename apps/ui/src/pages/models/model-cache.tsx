import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import { DetailSection } from "../../components/detail-panel.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";

const DAYS = 30;
const DAY_MS = 86_400_000;

/** What the providers' prompt caches saved the organization with this model. */
export function ModelCache({ id }: { readonly id: string }) {
  const [startDate] = useState(() => new Date(Date.now() - DAYS * DAY_MS).toISOString());
  const usage = useCall("getUsage", { query: { startDate, model: [id], groupBy: ["model"] } }, { staleMs: 60_000 });
  return (
    <DetailSection title="Prompt cache" note={`your organization, last ${DAYS} days`}>
      <Loaded query={usage} what="Usage">
        {({ totals: { cachedTokens, promptTokens, cacheHitRate, cacheSaved } }) =>
          cacheHitRate === null ? (
            <p className="text-table text-muted">No input in the last {DAYS} days.</p>
          ) : (
            <dl className="grid grid-cols-2 gap-x-4 gap-y-1.5 text-table">
              <dt className="text-muted">Hit rate</dt>
              <dd title={`${formatCount(cachedTokens)} of ${formatCount(promptTokens)} input tokens`}>
                {formatShare(cacheHitRate)}
              </dd>
              <dt className="text-muted">Savings</dt>
              <dd>
                <Money nano={cacheSaved} />
              </dd>
            </dl>
          )
        }
      </Loaded>
    </DetailSection>
  );
}
