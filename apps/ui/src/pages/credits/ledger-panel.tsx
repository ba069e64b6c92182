import { Link } from "@tanstack/react-router";
import type { Operations } from "@tollgate/sdk/platform";
import { ChartColumn, Download, Plus, SlidersHorizontal, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { useCall } from "../../api/queries.ts";
import { basePath } from "../../base-path.ts";
import { Button } from "../../components/button.tsx";
import { buttonClass } from "../../components/button-styles.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Panel } from "../../components/panel.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { useZone } from "../../components/zone.ts";
import { plural } from "../../format/plural.ts";
import { describeTimeRange } from "./ledger-time.ts";

type Line = Operations["listLedger"]["answer"]["lines"][number];

const LINES = 50;

const filters: Readonly<Record<string, readonly Line["kind"][]>> = {
  all: [],
  usage: ["usage", "usage_reversal"],
  purchases: ["purchase", "refund", "dispute", "dispute_won"],
  adjustments: ["grant", "adjustment", "expiry"],
};

interface LedgerPanelProps {
  readonly movements: string;
  readonly onMovements: (movements: string) => void;
  /**
   * Cursor: the list shows entries older than this entry. If the cursor is empty, the list shows the newest entries.
   */
  readonly before: string;
  readonly onBefore: (before: string) => void;
  readonly onOrder: (id: string) => void;
}

/** Exact ledger entries, each with the resulting balance. */
export function LedgerPanel({ movements, onMovements, before, onBefore, onOrder }: LedgerPanelProps) {
  const zone = useZone();
  const kind = filters[movements] ?? [];
  const ledger = useCall("listLedger", {
    query: { limit: LINES, ...(kind.length > 0 && { kind }), ...(before !== "" && { before }) },
  });
  const file = new URLSearchParams([["format", "csv"], ...kind.map((each) => ["kind", each])]);
  return (
    <Panel
      title="Ledger"
      note="every entry, exact to the nano-USD"
      flush
      actions={
        <>
          <Segmented
            label="Entry type"
            value={movements}
            onValue={onMovements}
            options={[
              { value: "all", label: "All" },
              { value: "usage", label: "Usage" },
              { value: "purchases", label: "Purchases" },
              { value: "adjustments", label: "Adjustments" },
            ]}
          />
          <a
            href={`${basePath}/api/credits/transactions?${file.toString()}`}
            download="transactions.csv"
            className={`${buttonClass("ghost", "sm")} max-sm:hidden`}
          >
            <Download size={14} strokeWidth={1.5} aria-hidden />
            CSV
          </a>
        </>
      }
    >
      <Loaded query={ledger} what="The ledger">
        {({ lines, next }) => (
          <DataTable
            label="Ledger"
            density="compact"
            rows={lines}
            rowKey={({ id }) => id}
            columns={columnsOf(zone, onOrder)}
            card={(row) => (
              <>
                <span className="flex justify-between gap-3">
                  <Movement kind={row.kind} />
                  <Money nano={row.amount} form="exact" signed />
                </span>
                <span className="flex justify-between gap-3 text-meta text-muted">
                  <span className="min-w-0 truncate">{describeTimeRange(row.firstAt, row.lastAt, zone)}</span>
                  <Money nano={row.balanceAfter} />
                </span>
              </>
            )}
            footer={
              <div className="flex items-center gap-2">
                <span className="grow">
                  {before === "" ? "Newest entries" : "Older entries"}. Usage is summed by day. The CSV file lists every
                  entry.
                </span>
                {before !== "" && (
                  <Button size="sm" onClick={() => onBefore("")}>
                    Newest
                  </Button>
                )}
                {next !== null && (
                  <Button size="sm" onClick={() => onBefore(next)}>
                    Older
                  </Button>
                )}
              </div>
            }
            empty={
              movements === "all" ? (
                <p className="px-4 py-6 text-table text-muted">No ledger entries yet.</p>
              ) : (
                <NoMatches
                  what="entries"
                  filters={[{ label: movements, onRemove: () => onMovements("all") }]}
                  onClear={() => onMovements("all")}
                />
              )
            }
          />
        )}
      </Loaded>
    </Panel>
  );
}

function columnsOf(zone: string, onOrder: (id: string) => void): readonly Column<Line>[] {
  return [
    {
      id: "time",
      header: `Time (${zone})`,
      cell: ({ firstAt, lastAt }) => <span className="text-muted">{describeTimeRange(firstAt, lastAt, zone)}</span>,
    },
    { id: "movement", header: "Type", cell: ({ kind }) => <Movement kind={kind} /> },
    { id: "for", header: "Details", priority: 1, cell: (row) => <Cause row={row} onOrder={onOrder} /> },
    {
      id: "amount",
      header: "Amount (USD)",
      align: "right",
      cell: ({ amount }) => (
        <span className={amount > 0n ? "text-success" : ""}>
          <Money nano={amount} form="exact" signed />
        </span>
      ),
    },
    {
      id: "after",
      header: "Balance after",
      align: "right",
      priority: 2,
      cell: ({ balanceAfter }) => (
        <span className={balanceAfter < 0n ? "text-danger" : ""}>
          <Money nano={balanceAfter} form="exact" />
        </span>
      ),
    },
  ];
}

function Movement({ kind }: { readonly kind: Line["kind"] }) {
  const [label, icon] = movementsOf[kind];
  return (
    <span className="flex items-center gap-2">
      <span className="text-muted">{icon}</span>
      {label}
    </span>
  );
}

const glyph = { size: 14, strokeWidth: 1.5, "aria-hidden": true } as const;

const movementsOf: Readonly<Record<Line["kind"], readonly [label: string, icon: ReactNode]>> = {
  usage: ["Usage", <ChartColumn key="usage" {...glyph} />],
  usage_reversal: ["Usage reversal", <Undo2 key="usage_reversal" {...glyph} />],
  purchase: ["Purchase", <Plus key="purchase" {...glyph} />],
  grant: ["Grant", <Plus key="grant" {...glyph} />],
  refund: ["Refund", <Undo2 key="refund" {...glyph} />],
  dispute: ["Dispute", <Undo2 key="dispute" {...glyph} />],
  dispute_won: ["Dispute won", <Plus key="dispute_won" {...glyph} />],
  expiry: ["Expiry", <SlidersHorizontal key="expiry" {...glyph} />],
  adjustment: ["Adjustment", <SlidersHorizontal key="adjustment" {...glyph} />],
};

/** Cause of an entry, with a link to its order or requests. */
function Cause({ row, onOrder }: { readonly row: Line; readonly onOrder: (id: string) => void }) {
  const { kind, firstAt, lastAt, entries, reference, description } = row;
  if (kind === "usage") {
    return (
      <Link to="/logs" search={windowOf(firstAt, lastAt)} className="text-accent hover:underline">
        {entries === 1
          ? "Requests settled in this entry"
          : `Requests settled in ${plural(entries, "entry", "entries")}`}
      </Link>
    );
  }
  return (
    <span className="flex max-w-96 gap-2">
      {reference?.startsWith("pur_") && (
        <button
          type="button"
          title={reference}
          onClick={() => onOrder(reference)}
          className="font-mono text-accent hover:underline"
        >
          …{reference.slice(-8)}
        </button>
      )}
      <span className="truncate" title={description ?? undefined}>
        {description ?? "No reason given"}
      </span>
    </span>
  );
}

/** Requests are settled shortly after they end, so an entry's requests started in the minutes before the entry. */
function windowOf(from: string, until: string) {
  return {
    from: new Date(new Date(from).getTime() - 5 * 60_000).toISOString(),
    until: new Date(new Date(until).getTime() + 1_000).toISOString(),
  };
}
