import { previousRange } from "@tollgate/domain/figures/previous-range.ts";
import { Download, Link as LinkIcon } from "lucide-react";
import { useMemo } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { colorsFor } from "../../charts/series-colors.ts";
import { Button } from "../../components/button.tsx";
import { copyText } from "../../components/copy-text.ts";
import { Page } from "../../components/page.tsx";
import { saveFile } from "../../components/save-file.ts";
import { SavedViews } from "../../components/saved-views.tsx";
import { useToast } from "../../components/toast.tsx";
import { useSearchState } from "../../router-search.ts";
import { RangePicker } from "../../shell/range-picker.tsx";
import { useRange } from "../../shell/use-range.ts";
import { ChartSlot } from "./chart-slot.tsx";
import { Freshness } from "./freshness.tsx";
import { MeasureChart } from "./measure-chart.tsx";
import { NoUsage } from "./no-usage.tsx";
import { Reconcile } from "./reconcile.tsx";
import { SmallCharts } from "./small-charts.tsx";
import { sumEntities } from "./sum-entities.ts";
import { UsageControls } from "./usage-controls.tsx";
import { usageCsv } from "./usage-csv.ts";
import { filterOf, filtersOf, keepsModel } from "./usage-filters.ts";
import { ChartSkeleton, TableSkeleton } from "./usage-skeleton.tsx";
import { UsageTable } from "./usage-table.tsx";
import { dimensions, measures, oneOf } from "./usage-view.ts";
import { useNames } from "./use-names.ts";
import { useUsage } from "./use-usage.ts";

const defaults = {
  range: "14d",
  measure: "spend",
  group: "model",
  compare: "on",
  latency: "total",
  errors: "count",
  sort: "",
  open: "",
  hide: [],
  model: [],
  provider: [],
  team: [],
  key: [],
  user: [],
} as const;

/** Usage and cost over time, by model, team, key, user, provider, endpoint, or session, verified against the ledger. */
export function UsagePage() {
  const [state, set] = useSearchState(defaults);
  const { range, zone } = useRange(state.range);
  const { organization, leads } = useMe();
  const isOwnTeams = organization?.role === "member";
  const names = useNames();
  const toast = useToast();
  const measure = oneOf(measures, state.measure);
  const dimension = oneOf(dimensions, state.group);
  const grouping = range.hours <= 48 ? "hour" : "day";
  const isLive = range.endDate === undefined;
  const isCompared = state.compare === "on";
  const time = { startDate: range.startDate, ...(range.endDate !== undefined && { endDate: range.endDate }) };
  const filter = { ...time, timezone: zone, ...filterOf(state) };
  const { hours, over } = performanceTime(range.hours);
  const usage = useUsage(filter, grouping, dimension, { isLive, enabled: dimension !== "user" || names.isReady });
  const course = useUsage(filter, grouping, "none", { isLive });
  const shown = usage.data ?? null;
  const before = useUsage(
    { ...filter, ...(shown !== null && rangeBefore(shown.report.meta, zone)) },
    shown?.grouping ?? grouping,
    "none",
    { enabled: isCompared && shown !== null },
  );
  const performance = useCall("getPerformance", { query: { hours } }, { staleMs: 60_000 });
  const colorOf = useMemo(() => {
    if (shown === null) return colorsFor([]);
    const sums = sumEntities(shown.report.data, (row) => names.entityOf(shown.dimension, row), measure);
    return colorsFor(sums.map(({ key }) => key));
  }, [shown, names, measure]);
  const filters = filtersOf(names, performance.data?.performance ?? []);
  const previousLabel = `previous ${range.label.startsWith("Last ") ? range.label.slice(5) : "period"}`;
  const isUnused = shown !== null && shown.report.totals.requests + shown.report.totals.refused === 0;
  return (
    <Page
      title="Usage"
      wide
      note={
        shown !== null && (
          <Freshness
            dataUntil={shown.report.meta.dataUntil}
            zone={shown.report.meta.timezone}
            organization={organization?.name ?? "the organization"}
            isOwnTeams={isOwnTeams}
          />
        )
      }
      action={
        <>
          <RangePicker value={state.range} range={range} zone={zone} onValue={(value) => set({ range: value })} />
          <Button
            icon={<LinkIcon size={16} strokeWidth={1.5} aria-hidden />}
            onClick={() => void copyText(location.href).then(() => toast.done("Link copied"), toast.failed)}
          >
            <span className="max-sm:sr-only">Copy link</span>
          </Button>
          <Button
            icon={<Download size={16} strokeWidth={1.5} aria-hidden />}
            disabledReason={shown === null ? "Usage is still loading" : null}
            onClick={() => shown !== null && saveFile("usage.csv", "text/csv", usageCsv(shown, names))}
          >
            <span className="max-sm:sr-only">Download CSV</span>
          </Button>
        </>
      }
      filters={
        <UsageControls
          measure={measure}
          dimension={dimension}
          filters={filters}
          values={state}
          onFilters={(change) => set(change)}
          onMeasure={(value) => set({ measure: value })}
          onDimension={(value) => set({ group: value, open: "", sort: "" })}
          isCompared={isCompared}
          previousLabel={previousLabel}
          onCompare={(isOn) => set({ compare: isOn ? "on" : "off" })}
        >
          <SavedViews page="usage" viewOf={viewOf} />
        </UsageControls>
      }
    >
      {isUnused ? (
        <NoUsage
          filters={filters}
          values={state}
          onChange={(change) => set(change)}
          rangeLabel={range.label}
          isOwnTeams={isOwnTeams}
        />
      ) : (
        <>
          <ChartSlot title="Usage over time" what="Usage" query={usage} skeleton={<ChartSkeleton />}>
            {(data) => (
              <MeasureChart
                usage={data}
                measure={measure}
                names={names}
                colorOf={colorOf}
                previous={isCompared && before.data !== undefined && !before.isPlaceholderData ? before.data : null}
                previousLabel={previousLabel}
                onRange={(chosen) => set({ range: chosen })}
              />
            )}
          </ChartSlot>
          <SmallCharts
            course={course}
            performance={performance}
            isShown={(entry) => keepsModel(state, entry)}
            over={over}
            colorOf={dimension === "model" ? colorOf : null}
            latency={state.latency === "first" ? "first" : "total"}
            errors={state.errors === "rate" ? "rate" : "count"}
            onChange={(change) => set(change)}
          />
          <ChartSlot title="Breakdown" what="The table" query={usage} skeleton={<TableSkeleton />}>
            {(data) => (
              <UsageTable
                usage={data}
                filter={filter}
                measure={measure}
                names={names}
                colorOf={colorOf}
                sort={state.sort}
                onSort={(sort) => set({ sort }, { replace: true })}
                open={state.open}
                onOpen={(open) => set({ open }, { replace: true })}
                hidden={state.hide}
                onHidden={(hide) => set({ hide }, { replace: true })}
              />
            )}
          </ChartSlot>
        </>
      )}
      {leads && (
        <Reconcile time={time} range={state.range} isFiltered={filters.some(({ name }) => state[name].length > 0)} />
      )}
    </Page>
  );
}

/** Returns the previous period of a report, as a time range of the API. */
function rangeBefore({ startDate, endDate }: { readonly startDate: string; readonly endDate: string }, zone: string) {
  const { from, to } = previousRange({ from: new Date(startDate), to: new Date(endDate) }, zone);
  return { startDate: from.toISOString(), endDate: to.toISOString() };
}

/**
 * Returns the shortest of three measurement periods that covers the range. If no period covers the range, returns the
 * longest.
 */
function performanceTime(hours: number): { readonly hours: 24 | 168 | 720; readonly over: string } {
  if (hours <= 24) return { hours: 24, over: "last 24 hours" };
  return hours <= 168 ? { hours: 168, over: "last 7 days" } : { hours: 720, over: "last 30 days" };
}

/** Returns the part of the URL that a saved view stores, without the expanded row. */
function viewOf(search: string): string {
  const values = new URLSearchParams(search);
  values.delete("open");
  return values.toString();
}
