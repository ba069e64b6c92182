import { Badge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import type { Catalog } from "./catalog-prices.ts";

type Edition = Catalog["history"][number];

/** Catalog editions that operators applied, and the sources of the one in effect. */
export function EditionsPanel({ catalog }: { readonly catalog: Catalog }) {
  const sources = catalog.sources.map(({ name, asOf }) => `${name} (${asOf})`).join(", ");
  return (
    <Panel title="Applied editions" note={sources === "" ? undefined : `Sources: ${sources}`} flush>
      <DataTable
        label="Applied editions"
        columns={columns}
        rows={catalog.history}
        rowKey={({ edition, appliedAt }) => `${edition} ${appliedAt}`}
        card={({ edition, appliedAt }) => (
          <span className="flex justify-between gap-3">
            <span className="font-medium">{edition}</span>
            <Time at={appliedAt} form="day" />
          </span>
        )}
        empty={
          <EmptyState title="Built-in edition in effect">
            To apply a later edition, run <code className="font-mono">tollgate prices update</code>.
          </EmptyState>
        }
      />
    </Panel>
  );
}

const columns: readonly Column<Edition>[] = [
  {
    id: "edition",
    header: "Edition",
    cell: ({ edition, pinned }) => (
      <span className="flex items-center gap-2">
        <span className="font-medium">{edition}</span> {pinned && <Badge tone="neutral">pinned</Badge>}
      </span>
    ),
  },
  { id: "pricesAsOf", header: "Prices as of", cell: ({ pricesAsOf }) => pricesAsOf },
  {
    id: "signature",
    header: "Signature",
    cell: ({ signedBy }) =>
      signedBy === null ? <Badge tone="warning">unsigned</Badge> : <span className="font-mono">{signedBy}</span>,
  },
  {
    id: "origin",
    header: "Origin",
    priority: 2,
    cell: ({ origin }) => <span className="block max-w-80 truncate">{origin}</span>,
  },
  { id: "appliedAt", header: "Applied", priority: 1, cell: ({ appliedAt }) => <Time at={appliedAt} form="relative" /> },
];
