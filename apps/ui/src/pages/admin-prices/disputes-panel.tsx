import { Badge } from "../../components/badge.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Panel } from "../../components/panel.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { plural } from "../../format/plural.ts";
import type { Catalog, Dispute } from "./catalog-prices.ts";
import { DisputePanel } from "./dispute-panel.tsx";

interface DisputesPanelProps {
  readonly catalog: Catalog;
  /** Finds models in use and others. */
  readonly search: string;
  readonly isUsedOnly: boolean;
  readonly onUsedOnly: (isUsedOnly: boolean) => void;
  /** Model whose prices are shown in the detail panel; empty for none. */
  readonly open: string;
  readonly onOpen: (model: string) => void;
  readonly onClear: () => void;
}

/** Models whose catalog prices differ between sources. */
export function DisputesPanel(props: DisputesPanelProps) {
  const { catalog, search, isUsedOnly, onUsedOnly, open, onOpen, onClear } = props;
  const { disputes } = catalog;
  const used = disputes.filter(({ usedBy }) => usedBy.length > 0);
  const found = disputes.filter(({ model }) => model.toLowerCase().includes(search.toLowerCase()));
  const shown = search === "" && isUsedOnly ? used : found;
  const opened = disputes.find(({ model }) => model === open);
  return (
    <Panel
      title="Disputed prices"
      note="The catalog's sources disagree about these prices. The higher amount applies, or the model is refused, until you confirm one."
      flush
    >
      {search === "" && (
        <div className="px-4 py-2">
          <Segmented
            label="Models"
            value={isUsedOnly ? "used" : "all"}
            onValue={(value) => onUsedOnly(value === "used")}
            options={[
              { value: "used", label: `In use (${used.length})` },
              { value: "all", label: `All (${disputes.length})` },
            ]}
          />
        </div>
      )}
      <DataTable
        label="Disputed prices"
        columns={columns}
        rows={shown}
        rowKey={({ model }) => model}
        openKey={open}
        onOpen={({ model }) => onOpen(model)}
        card={(dispute) => (
          <span className="flex justify-between gap-3">
            <span className="min-w-0 truncate font-medium">{dispute.model}</span>
            <State dispute={dispute} />
          </span>
        )}
        footer={plural(shown.length, "model")}
        empty={
          search === "" ? (
            <EmptyState title="No disputed prices in use">
              Models of your deployments whose prices the sources disagree about appear here.
            </EmptyState>
          ) : (
            <NoMatches filters={[]} onClear={onClear} />
          )
        }
      />
      {opened !== undefined && <DisputePanel dispute={opened} catalog={catalog} onClose={() => onOpen("")} />}
    </Panel>
  );
}

function State({ dispute: { refused, usedBy } }: { readonly dispute: Dispute }) {
  if (refused) return <StatusDot shape="bad">Refused</StatusDot>;
  return usedBy.length > 0 ? (
    <StatusDot shape="warning">Higher amount applies</StatusDot>
  ) : (
    <StatusDot shape="off">Not in use</StatusDot>
  );
}

const columns: readonly Column<Dispute>[] = [
  {
    id: "model",
    header: "Model",
    cell: ({ model }) => <span className="block max-w-96 truncate font-medium">{model}</span>,
  },
  { id: "state", header: "Status", cell: (dispute) => <State dispute={dispute} /> },
  {
    id: "usedBy",
    header: "Model groups",
    priority: 2,
    cell: ({ usedBy }) => (
      <span className="flex gap-1.5">
        {usedBy.slice(0, 3).map((group) => (
          <Badge key={group} tone="neutral">
            {group}
          </Badge>
        ))}
      </span>
    ),
  },
  { id: "prices", header: "Prices", align: "right", priority: 1, cell: ({ prices }) => prices.length },
];
