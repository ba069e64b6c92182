import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";
import { Segmented } from "../../components/segmented.tsx";

type Margin = Operations["getMargins"]["answer"]["data"][number];
type Grouping = Operations["getMargins"]["answer"]["groupBy"];

const NANO_PER_USD = 1_000_000_000n;

const groupings: readonly { readonly value: Grouping; readonly label: string }[] = [
  { value: "model", label: "Model" },
  { value: "provider", label: "Provider" },
  { value: "organization", label: "Organization" },
  { value: "day", label: "Day" },
];

interface MarginsPanelProps {
  readonly groupBy: string;
  readonly onGroupBy: (groupBy: Grouping) => void;
}

/** Gross margin of the last 30 days: revenue minus what the providers charge. */
export function MarginsPanel({ groupBy, onGroupBy }: MarginsPanelProps) {
  const grouping = groupings.find(({ value }) => value === groupBy)?.value ?? "model";
  const margins = useCall("getMargins", { query: { groupBy: grouping } });
  return (
    <Panel
      title="Gross margin"
      note="Last 30 days. Provider cost is what the provider reported, or its list price for the same usage."
      flush
    >
      <div className="px-4 py-2">
        <Segmented label="Group by" value={grouping} onValue={onGroupBy} options={groupings} />
      </div>
      <Loaded query={margins} what="Gross margin">
        {({ data, totals }) => {
          // Six decimals if the total is less than a dollar, as in other tables.
          const form = totals.revenue < NANO_PER_USD ? "request" : "adaptive";
          return (
            <DataTable
              label="Gross margin"
              columns={columnsWith(form)}
              rows={data}
              rowKey={({ group }) => group}
              card={(row) => (
                <span className="flex justify-between gap-3">
                  <span className="min-w-0 truncate font-medium">{row.name}</span>
                  <Money nano={row.margin} form={form} />
                </span>
              )}
              footer={
                <span className="flex flex-wrap gap-x-4">
                  <span>
                    Revenue <Money nano={totals.revenue} form={form} />
                  </span>
                  <span>
                    Provider cost <Money nano={totals.providerCost} form={form} />
                  </span>
                  <span>
                    Margin <Money nano={totals.margin} form={form} />
                  </span>
                </span>
              }
              empty={<EmptyState title="No requests in this period">Charged requests appear here.</EmptyState>}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}

function columnsWith(form: "adaptive" | "request"): readonly Column<Margin>[] {
  return [
    {
      id: "name",
      header: "Name",
      cell: ({ name }) => <span className="block max-w-96 truncate font-medium">{name}</span>,
    },
    { id: "requests", header: "Requests", align: "right", priority: 2, cell: ({ requests }) => formatCount(requests) },
    { id: "revenue", header: "Revenue", align: "right", cell: ({ revenue }) => <Money nano={revenue} form={form} /> },
    {
      id: "providerCost",
      header: "Provider cost",
      align: "right",
      priority: 1,
      cell: ({ providerCost }) => <Money nano={providerCost} form={form} />,
    },
    { id: "margin", header: "Margin", align: "right", cell: ({ margin }) => <Money nano={margin} form={form} /> },
    { id: "share", header: "Share", align: "right", priority: 3, cell: shareOf },
  ];
}

/** Margin as a share of the revenue. */
function shareOf({ margin, revenue }: Margin): string {
  if (revenue === 0n) return "–";
  return formatShare(Number(margin) / Number(revenue));
}
