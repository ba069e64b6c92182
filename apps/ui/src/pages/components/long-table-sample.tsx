import { useState } from "react";
import { ColumnChooser } from "../../components/column-chooser.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";

interface SampleCall {
  readonly id: string;
  readonly tokens: number;
  readonly cost: bigint;
}

const CALLS: readonly SampleCall[] = Array.from({ length: 300 }, (_, index) => ({
  id: `req_${String(300 - index).padStart(4, "0")}`,
  tokens: (index * 7_919) % 5_000,
  cost: BigInt((index * 104_729) % 24_000_000),
}));

const COLUMNS: readonly Column<SampleCall>[] = [
  { id: "id", header: "Request", cell: ({ id }) => <span className="font-mono">{id}</span> },
  { id: "tokens", header: "Tokens", align: "right", cell: ({ tokens }) => tokens.toLocaleString("en-US") },
  { id: "cost", header: "Cost", align: "right", cell: ({ cost }) => <Money nano={cost} form="request" /> },
];

/** Sample of a table with 300 rows that renders only the visible rows. */
export function LongTableSample() {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [openKey, setOpenKey] = useState<string | null>(null);
  return (
    <Panel
      title="Long table"
      note="300 rows, only visible rows are rendered"
      flush
      actions={<ColumnChooser columns={[{ id: "tokens", label: "Tokens" }]} hidden={hidden} onChange={setHidden} />}
    >
      <DataTable
        label="Requests"
        virtual
        density="compact"
        columns={COLUMNS.filter(({ id }) => !hidden.includes(id))}
        rows={CALLS}
        rowKey={({ id }) => id}
        openKey={openKey}
        onOpen={({ id }) => setOpenKey(id)}
        card={({ id, cost }) => (
          <span className="flex">
            <span className="font-mono">{id}</span>
            <span className="ml-auto">
              <Money nano={cost} form="request" />
            </span>
          </span>
        )}
        empty={<EmptyState title="No requests yet">Send a request to see it here.</EmptyState>}
      />
    </Panel>
  );
}
