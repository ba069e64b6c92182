import { Check, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { HubModel } from "../../api/hub-model.ts";
import { useCall } from "../../api/queries.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { classes } from "../../components/classes.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { CostCalculator } from "../../components/cost-calculator.tsx";
import { ProviderMark } from "../../components/provider-mark.tsx";
import { Select } from "../../components/select.tsx";
import { type CompareRow, compareModels } from "./compare-models.tsx";
import { readWorkload, writeWorkload } from "./workload.ts";

interface ComparePanelProps {
  readonly models: readonly HubModel[];
  readonly all: readonly HubModel[];
  /** Workload from the URL. */
  readonly workload: string;
  readonly isSignedIn: boolean;
  /** The user's average request, as a workload. */
  readonly average: string | null;
  readonly onWorkload: (workload: string) => void;
  readonly onChange: (ids: readonly string[]) => void;
}

/** Maximum number of models side by side. */
export const MAX_COMPARED = 4;
const DAYS_MS = 14 * 86_400_000;

/** Compares up to four models side by side, with the best value per row and the monthly cost. */
export function ComparePanel(props: ComparePanelProps) {
  const { models, all, onChange, isSignedIn } = props;
  const [isShort, setShort] = useState(false);
  const [startDate] = useState(() => new Date(Date.now() - DAYS_MS).toISOString());
  const usage = useCall(
    "getUsage",
    { query: { startDate, groupBy: ["model"] } },
    { enabled: isSignedIn, staleMs: 60_000 },
  );
  const workload = readWorkload(props.workload);
  const spend = usage.data && new Map(usage.data.data.map(({ group, cost }) => [group.model ?? "", cost]));
  const rows = compareModels(models, workload, spend ?? null);
  const shown = isShort ? rows.filter(({ isSame }) => !isSame) : rows;
  const others = all.filter(({ id }) => !models.some((model) => model.id === id));
  return (
    <section
      aria-label="Compare"
      className="sticky bottom-0 z-10 -mx-6 -mb-8 flex max-h-[64vh] flex-col border-t border-border bg-surface shadow-float max-lg:max-h-[52vh] max-sm:-mx-4"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-border px-6 py-2 max-sm:px-4">
        <h2 className="text-body font-semibold">
          Compare {models.length} of {MAX_COMPARED}
        </h2>
        {models.length < MAX_COMPARED && (
          <div className="w-52">
            <Select
              label="Add model"
              placeholder="Add model"
              search
              className="sm:h-[30px]! border-dashed! border-outline-soft! sm:text-table!"
              value={null}
              options={others.map(({ id }) => ({ value: id, label: id }))}
              onValue={(id) => onChange([...models.map((model) => model.id), id])}
            />
          </div>
        )}
        <div className="ml-auto flex items-center gap-3">
          <Checkbox label="Differences only" checked={isShort} onValue={setShort} />
          <CopyButton text={window.location.href} label="Copy link" variant="secondary" />
          <IconButton label="Close comparison" icon={<X size={16} strokeWidth={1.5} />} onClick={() => onChange([])} />
        </div>
      </header>
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] overflow-y-auto max-lg:auto-rows-max lg:grid-cols-[minmax(0,1fr)_280px]">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: four models scroll sideways on small screens. */}
        <section aria-label="Compared values" tabIndex={0} className="relative min-w-0 overflow-x-auto px-3 pb-3">
          <table className="w-full table-fixed text-table" style={{ minWidth: 160 + models.length * 150 }}>
            <thead>
              <tr>
                <td className="w-40 border-b border-border" />
                {models.map((model) => (
                  <th key={model.id} scope="col" className="border-b border-border px-3 py-2 text-left font-semibold">
                    <span className="flex items-center gap-1.5">
                      <ProviderMark provider={model.providers[0] ?? "?"} />
                      <span className="truncate" title={model.id}>
                        {model.id}
                      </span>
                      <IconButton
                        label={`Remove ${model.id}`}
                        size="sm"
                        icon={<X size={14} strokeWidth={1.5} />}
                        onClick={() => onChange(models.map(({ id }) => id).filter((id) => id !== model.id))}
                      />
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <Row key={row.label} row={row} />
              ))}
            </tbody>
          </table>
        </section>
        <div className="border-l border-border p-5 max-lg:border-t max-lg:border-l-0">
          <CostCalculator workload={workload} onChange={(next) => props.onWorkload(writeWorkload(next))}>
            {isSignedIn && (
              <Button
                variant="ghost"
                size="sm"
                className="justify-self-start px-0! text-accent!"
                disabledReason={props.average === null ? "No requests in the last 14 days" : null}
                onClick={() => props.average !== null && props.onWorkload(props.average)}
              >
                Use my average request
              </Button>
            )}
          </CostCalculator>
        </div>
      </div>
    </section>
  );
}

function Row({ row }: { readonly row: CompareRow }) {
  const line = row.isSum ? "border-t border-border" : "border-b border-hairline";
  return (
    <tr>
      <th
        scope="row"
        className={classes(line, "px-3 py-1 text-left", row.isSum ? "font-semibold" : "font-normal text-muted")}
      >
        {row.label}
      </th>
      {row.cells.map(({ id, content, isBest }) => (
        <td key={id} className={classes(line, "px-3 py-1", row.isSum && "text-body font-semibold")}>
          <Best isBest={isBest}>{content}</Best>
        </td>
      ))}
    </tr>
  );
}

/** Marks the best value with bold text and an icon, so that the mark doesn't depend on color. */
function Best({ isBest, children }: { readonly isBest: boolean; readonly children: ReactNode }) {
  if (!isBest) return children;
  return (
    <span className="inline-flex items-center gap-2 font-semibold">
      {children}
      <Check size={14} strokeWidth={2} className="text-success" aria-hidden />
      <span className="sr-only">best</span>
    </span>
  );
}
