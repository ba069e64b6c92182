import { Link } from "@tanstack/react-router";
import { useCall } from "../../api/queries.ts";
import { Loaded } from "../../components/loaded.tsx";
import { ReconciliationBar } from "../../components/reconciliation-bar.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

interface ReconcileProps {
  readonly time: { readonly startDate: string; readonly endDate?: string };
  readonly range: string;
  readonly isFiltered: boolean;
}

/** Verifies the organization's totals against its logs and ledger. */
export function Reconcile({ time, range, isFiltered }: ReconcileProps) {
  const reading = useCall("getUsageReconciliation", { query: time }, { staleMs: 60_000 });
  return (
    <Loaded query={reading} what="The reconciliation" skeleton={<Skeleton className="h-14" />}>
      {(answer) => (
        <>
          {isFiltered && (
            <p className="-mb-3 text-meta text-muted">
              Covers the whole organization. Filters don't apply to the ledger.
            </p>
          )}
          <ReconciliationBar
            reading={answer}
            isDocked
            rows={
              <Link to="/logs" search={{ range }} className="underline">
                Show rows
              </Link>
            }
          />
        </>
      )}
    </Loaded>
  );
}
