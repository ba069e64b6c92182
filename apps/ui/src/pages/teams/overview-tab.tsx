import { formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { useMemo } from "react";
import { useCall } from "../../api/queries.ts";
import { usdTick } from "../../charts/axis-labels.ts";
import { dayColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { plainUsd } from "../../charts/csv.ts";
import { colorsFor } from "../../charts/series-colors.ts";
import { StackLegend } from "../../charts/stack-legend.tsx";
import { stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { BlockedPanel } from "./blocked-panel.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { LimitsPanel } from "./limits-panel.tsx";
import { MembersTab } from "./members-tab.tsx";
import type { TeamDetails } from "./team-draft.ts";
import type { TeamSpend } from "./use-team-spend.ts";

interface OverviewTabProps {
  readonly details: TeamDetails;
  readonly spend: TeamSpend;
  readonly manages: boolean;
}

/** Overview of a team: why it is blocked, spend by model, members, and keys. */
export function OverviewTab({ details, spend, manages }: OverviewTabProps) {
  const { team } = details;
  return (
    <>
      {team.status === "blocked" && <BlockedPanel team={team} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(280px,372px)]">
        <SpendByDay teamId={team.id} spend={spend} />
        <LimitsPanel team={team} />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[repeat(2,minmax(0,1fr))]">
        <MembersTab details={details} spend={spend} manages={manages} />
        <KeysTab team={team} spend={spend} />
      </div>
    </>
  );
}

function SpendByDay({ teamId, spend }: { readonly teamId: string; readonly spend: TeamSpend }) {
  const { month, zone } = spend;
  const usage = useCall("getUsage", {
    query: { startDate: month.startDate, teamId: [teamId], groupBy: ["day", "model"] },
  });
  const report = usage.data;
  const stack = useMemo(
    () =>
      report === undefined
        ? null
        : stackRows({
            columns: dayColumns(report.meta.startDate, report.meta.endDate, zone),
            rows: report.data,
            columnOf: ({ group }) => group.day ?? "",
            seriesOf: ({ group }) => group.model ?? "",
            valueOf: ({ cost }) => cost,
          }),
    [report, zone],
  );
  const format = formatMoneyColumn([stack?.total ?? 0n]);
  const colorOf = useMemo(() => colorsFor(stack?.series.map(({ key }) => key) ?? []), [stack]);
  return (
    <Loaded query={usage} what="This team's spend" skeleton={<Skeleton className="h-72" />}>
      {() =>
        stack === null ? null : (
          <ChartFrame
            title="Spend by day"
            note={`${month.long}, by model`}
            zone={zone}
            isCompact
            summary={summarizeStack(stack, "Spend", format)}
            table={stackTable(stack, "Day", format)}
            csv={stackTable(stack, "Day", plainUsd, "key")}
            fileName="team-spend-by-day"
          >
            {stack.total === 0n ? (
              <p className="text-table text-muted">No spend this month.</p>
            ) : (
              <div className="grid items-start gap-6 sm:grid-cols-[minmax(0,1fr)_minmax(160px,220px)]">
                <StackedBars
                  stack={stack}
                  colorOf={colorOf}
                  label="Spend by day"
                  format={format}
                  formatTick={usdTick}
                  height={220}
                  lines={3}
                  isLastOpen
                />
                <StackLegend stack={stack} colorOf={colorOf} format={format} totalLabel="Total" />
              </div>
            )}
          </ChartFrame>
        )
      }
    </Loaded>
  );
}
