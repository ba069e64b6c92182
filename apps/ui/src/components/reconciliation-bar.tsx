import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { Check, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { plural } from "../format/plural.ts";
import { Money } from "./money.tsx";
import { useZone } from "./zone.ts";

/** Three independent measurements of the cost for one time range. */
interface ReconcileReading {
  readonly rollups: { readonly cost: bigint; readonly buckets: number };
  readonly logs: { readonly cost: bigint; readonly rows: number };
  readonly ledger: { readonly cost: bigint; readonly postings: number };
  /** Cost that isn't charged to a balance. It is added to the ledger's total for the comparison. */
  readonly unbilled: bigint;
  readonly difference: bigint;
  readonly checkedAt: string;
}

interface ReconciliationBarProps {
  readonly reading: ReconcileReading;
  /** Link to the rows behind a difference. */
  readonly rows?: ReactNode;
  /** Keeps the bar at the bottom of the page while the content scrolls. */
  readonly isDocked?: boolean;
}

/** Verifies the page's totals: rollups, logs, and ledger are read independently and compared. */
export function ReconciliationBar({ reading, rows, isDocked = false }: ReconciliationBarProps) {
  const { rollups, logs, ledger, unbilled, difference, checkedAt } = reading;
  const zone = useZone();
  const billed = ledger.cost + unbilled;
  const isEven = difference === 0n;
  const postings = plural(ledger.postings, "posting");
  return (
    <section
      aria-label="Reconciliation of rollups, logs, and ledger"
      className={`flex flex-col rounded-panel border border-border bg-surface text-table lg:flex-row ${
        isDocked ? "lg:sticky lg:bottom-4 lg:z-10 lg:shadow-float" : ""
      }`}
    >
      <Source name="Rollups" note={plural(rollups.buckets, "15-minute bucket")} cost={rollups.cost} />
      <Sign isEqual={rollups.cost === logs.cost} />
      <Source name="Logs" note={plural(logs.rows, "row")} cost={logs.cost} />
      <Sign isEqual={logs.cost === billed} />
      <Source
        name="Ledger"
        note={unbilled === 0n ? postings : `${postings}, ${formatExactMoney(unbilled)} unbilled`}
        cost={billed}
      />
      <div
        className={`min-w-0 flex-1 rounded-b-[7px] border-t border-border px-4 py-2.5 lg:rounded-l-none lg:rounded-r-[7px] lg:border-t-0 lg:border-l ${
          isEven ? "bg-success-soft" : "bg-danger-soft"
        }`}
      >
        <Heading name="Difference" note={`checked ${clock(checkedAt, zone)} ${zone}`} />
        <p
          className={`flex items-center gap-1.5 font-mono text-body font-medium ${isEven ? "text-success" : "text-danger"}`}
          role="status"
        >
          {isEven ? (
            <Check size={16} strokeWidth={1.5} aria-hidden="true" />
          ) : (
            <TriangleAlert size={16} strokeWidth={1.5} aria-hidden="true" />
          )}
          {isEven ? "0" : formatExactMoney(difference)}
          {!isEven && rows !== undefined && <span className="ml-auto text-meta font-normal">{rows}</span>}
        </p>
      </div>
    </section>
  );
}

function Source({ name, note, cost }: { readonly name: string; readonly note: string; readonly cost: bigint }) {
  return (
    <div className="min-w-0 flex-1 border-hairline px-4 py-2.5 not-first:border-t lg:not-first:border-t-0">
      <Heading name={name} note={note} />
      <p className="text-body tracking-[-0.01em]">
        <Money nano={cost} form="exact" />
      </p>
    </div>
  );
}

function Heading({ name, note }: { readonly name: string; readonly note: string }) {
  return (
    <p className="flex justify-between gap-2 text-meta whitespace-nowrap text-muted">
      <span>{name}</span>
      <span className="truncate">{note}</span>
    </p>
  );
}

function Sign({ isEqual }: { readonly isEqual: boolean }) {
  return (
    <span
      role="img"
      aria-label={isEqual ? "equals" : "differs from"}
      className={`hidden self-center font-mono text-section lg:block ${isEqual ? "text-faint" : "font-medium text-danger"}`}
    >
      {isEqual ? "=" : "≠"}
    </span>
  );
}

const clock = (at: string, zone: string): string =>
  new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
