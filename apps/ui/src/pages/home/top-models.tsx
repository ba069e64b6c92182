import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import type { ColorOf } from "../../charts/series-colors.ts";
import { Swatch } from "../../charts/swatch.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";
import { plural } from "../../format/plural.ts";
import { type Ranked, rankTop } from "./rank-top.ts";
import { sumModels } from "./sum-models.ts";

type Report = Operations["getUsage"]["answer"];
type Performance = Operations["getPerformance"]["answer"]["performance"];

interface TopModelsProps {
  readonly report: Report;
  readonly performance: Performance;
  readonly colorOf: ColorOf;
}

/** The most expensive models, each with the timing of its median request. */
export function TopModels({ report, performance, colorOf }: TopModelsProps) {
  const { totals } = report;
  const money = formatMoneyColumn([totals.cost]);
  return (
    <Panel
      title="Top models"
      note="timing bar shows the median request"
      flush
      actions={
        <ButtonLink to="/model_hub_table" variant="ghost" size="sm">
          Model hub
        </ButtonLink>
      }
    >
      <DataTable
        label="Top models"
        rows={rankModels(report, performance)}
        rowKey={({ id, others }) => `${others} ${id}`}
        card={(row) => (
          <span className="flex justify-between gap-3">
            <ModelName row={row} color={colorOf(row.id)} />
            <span className="shrink-0 text-right">
              {money(row.cost)}
              <span className="block text-meta text-muted">{plural(row.requests, "request")}</span>
            </span>
          </span>
        )}
        columns={[
          {
            id: "model",
            header: "Model",
            cell: (row) => <ModelName row={row} color={colorOf(row.id)} />,
            footer: "Total",
          },
          {
            id: "requests",
            header: "Requests",
            align: "right",
            cell: ({ requests }) => formatCount(requests),
            footer: formatCount(totals.requests),
          },
          {
            id: "first",
            header: "First token",
            align: "right",
            priority: 1,
            cell: ({ seen, others }) => (
              <span className="text-muted">{others > 0 ? "" : firstTokenOf(seen?.medianFirstTokenMs)}</span>
            ),
          },
          {
            id: "strip",
            header: "Timing",
            priority: 2,
            cell: ({ seen }) =>
              seen?.medianTiming == null ? null : (
                <TimingBar timing={seen.medianTiming} latencyMs={seen.p50LatencyMs} class="succeeded" size="row" />
              ),
          },
          { id: "spend", header: "Spend", align: "right", cell: ({ cost }) => money(cost), footer: money(totals.cost) },
        ]}
        empty={<p className="px-4 py-6 text-table text-muted">No models used in this period.</p>}
      />
    </Panel>
  );
}

function ModelName({ row: { id, others }, color }: { readonly row: Ranked; readonly color: string }) {
  if (others > 0) return <span className="text-muted">{plural(others, "other model")}</span>;
  // Requests that ended before a model was known, such as those for a model that doesn't exist.
  if (id === "") return <span className="text-muted">No model</span>;
  return (
    <Link
      to={`/model_hub_table/${id}`}
      title={id}
      className="flex max-w-64 min-w-0 items-center gap-2 font-medium hover:underline"
    >
      <Swatch color={color} />
      <span className="truncate">{id}</span>
    </Link>
  );
}

const firstTokenOf = (ms: number | null | undefined): string => (ms == null ? "–" : formatDuration(ms));

function rankModels({ data }: Report, performance: Performance) {
  return rankTop(sumModels(data)).map((row) => ({
    ...row,
    seen: row.others > 0 ? undefined : performance.find(({ model }) => model === row.id),
  }));
}
