import { Play, RefreshCw, Square } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useCall } from "../../api/queries.ts";
import { Histogram } from "../../charts/histogram.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { CallCard, choosableColumns, logColumns } from "../../components/call-columns.tsx";
import { ColumnChooser } from "../../components/column-chooser.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import type { Call } from "../../components/logged-call.ts";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { TimingLegend } from "../../components/timing-legend.tsx";
import { useSearchState } from "../../router-search.ts";
import { RangePicker } from "../../shell/range-picker.tsx";
import { useZone } from "../../shell/use-range.ts";
import { CallPanel } from "./call-panel.tsx";
import { describeShown, describeTotal } from "./describe-counts.ts";
import { ExportMenu } from "./export-menu.tsx";
import { LiveNotice } from "./live-notice.tsx";
import { activeLogFilters, clearedLogFilters, useLogFilters } from "./log-filters.ts";
import { listQueryOf, logDefaults, tailQueryOf, viewOf } from "./log-query.ts";
import { logRange } from "./log-range.ts";
import { SearchNotice } from "./search-notice.tsx";
import { useLiveTail } from "./use-live-tail.ts";
import { useLogList } from "./use-log-list.ts";

// This component is loaded only if there are no requests.
const NoCalls = lazy(async () => ({ default: (await import("./no-calls.tsx")).NoCalls }));

/** Minimum number of rows at which only the visible rows are rendered. */
const MANY_ROWS = 150;

/** Every request that reached the gateway, including refusals and client disconnects. */
export function LogsPage() {
  const zone = useZone();
  const [state, set] = useSearchState(logDefaults);
  // Fix the end of the range when the page opens, so that the list doesn't reload every minute.
  const [asOf, setAsOf] = useState(() => new Date());
  const range = useMemo(() => logRange(state, zone, asOf), [state, zone, asOf]);
  const query = listQueryOf(state, range.time);
  const list = useLogList(query);
  const listed = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const isSearch = state.content !== "";
  // Contents are stored after a request ends, so the live tail can't search them.
  const isLive = state.live !== "" && !isSearch;
  const isOpen = state.open !== "";
  const tail = useLiveTail({
    query: tailQueryOf(state),
    isOn: isLive,
    isHeld: () => isOpen || isReading(),
    onOpened: () => void list.refetch(),
  });
  const rows = useMemo(() => mergeRows(tail.rows, listed), [tail.rows, listed]);
  const filters = useLogFilters(rows, state);
  const active = activeLogFilters(filters, state, set);
  const at = rows.findIndex(({ id }) => id === state.open);
  const step = (by: number) => {
    const next = at === -1 ? undefined : rows[at + by];
    return next === undefined ? undefined : () => set({ open: next.id }, { replace: true });
  };
  const onboarding = useCall("getOnboarding", {}, { enabled: list.isSuccess && rows.length === 0, staleMs: 60_000 });
  const isUnused = onboarding.data?.onboarding.steps.some(({ id, done }) => id === "send_request" && !done) === true;
  const first = list.data?.pages[0];
  useReleaseOnTop(isLive, tail.release);
  return (
    <Page
      title="Logs"
      wide
      note={
        first === undefined || isOpen || isSearch ? undefined : (
          <span className="max-sm:hidden">{describeTotal(first.meta, range.label)}</span>
        )
      }
      action={
        <>
          <RangePicker
            value={state.from === "" ? state.range : ""}
            range={range}
            zone={zone}
            onValue={(value) => set({ range: value, from: "", until: "" })}
          />
          <span className={isOpen ? "hidden" : "flex gap-2 max-sm:hidden"}>
            <IconButton
              label="Refresh"
              variant="secondary"
              icon={<RefreshCw size={14} strokeWidth={1.5} aria-hidden />}
              onClick={() => {
                setAsOf(new Date());
                void list.refetch();
              }}
            />
            <ExportMenu rows={rows} query={query} />
          </span>
          <Button
            aria-pressed={isLive}
            disabled={isSearch}
            icon={
              isLive ? (
                <Square size={14} strokeWidth={1.5} aria-hidden />
              ) : (
                <Play size={14} strokeWidth={1.5} aria-hidden />
              )
            }
            onClick={() => set({ live: isLive ? "" : "1" }, { replace: true })}
          >
            <span>
              {isLive ? "Stop" : "Live"}
              <span className="max-sm:sr-only"> {isLive ? "live tail" : "tail"}</span>
            </span>
          </Button>
        </>
      }
      filters={
        <FilterBar
          values={state}
          onChange={set}
          alwaysShown={isOpen ? 1 : 4}
          search={{
            placeholder: "Request ID or error code",
            value: state.search,
            onChange: (search) => set({ search }),
          }}
          filters={filters}
        >
          <span className={isOpen ? "hidden" : "ml-auto flex items-center gap-2 max-sm:hidden"}>
            <SavedViews page="logs" viewOf={viewOf} />
            <ColumnChooser columns={choosableColumns} hidden={state.hide} onChange={(hide) => set({ hide })} />
          </span>
        </FilterBar>
      }
    >
      {first?.histogram !== undefined && !isUnused && (
        <div className="rounded-panel border border-border bg-surface px-4 py-3 max-sm:hidden">
          <Histogram
            bucketMinutes={first.histogram.bucketMinutes}
            buckets={first.histogram.buckets}
            zone={zone}
            onRange={(from, until) => set({ from: from.toISOString(), until: until.toISOString() })}
          />
          {!first.histogram.isExact && (
            <p className="text-meta text-muted">Too many requests match. The bars count only the latest.</p>
          )}
        </div>
      )}
      {isLive && <LiveNotice tail={tail} />}
      {isSearch && list.isSuccess && <SearchNotice list={list} zone={zone} />}
      <Loaded query={list} what="The logs" skeleton={<Skeleton lines={12} />}>
        {() => (
          <Panel flush>
            <DataTable
              label="Requests"
              density="compact"
              columns={logColumns(zone, state.hide, isOpen)}
              rows={rows}
              rowKey={({ id }) => id}
              sort={isSearch ? logDefaults.sort : state.sort}
              {...(!isSearch && { onSort: (sort) => set({ sort }) })}
              openKey={state.open}
              onOpen={({ id }) => set({ open: id }, { replace: state.open !== "" })}
              virtual={rows.length > MANY_ROWS}
              card={(call) => <CallCard call={call} zone={zone} />}
              footer={
                <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
                  <span>{describeShown(rows, isSearch ? undefined : first?.meta)}</span>
                  {list.hasNextPage && !isSearch && (
                    <Button size="sm" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                      Show more
                    </Button>
                  )}
                  <span className="ml-auto max-lg:hidden">{!isOpen && <TimingLegend />}</span>
                </div>
              }
              empty={
                <Suspense fallback={null}>
                  <NoCalls
                    isUnused={isUnused}
                    rangeLabel={range.label}
                    filters={active}
                    onClear={() => set(clearedLogFilters)}
                    onWiden={() => set({ range: "30d", from: "", until: "" })}
                  />
                </Suspense>
              }
            />
          </Panel>
        )}
      </Loaded>
      {isOpen && (
        <CallPanel
          callId={state.open}
          row={rows[at]}
          onClose={() => set({ open: "" })}
          onPrevious={step(-1)}
          onNext={step(1)}
        />
      )}
    </Page>
  );
}

/** Merges new requests into the list, newest first, without duplicates. */
function mergeRows(live: readonly Call[], listed: readonly Call[]): readonly Call[] {
  const known = new Set(live.map(({ id }) => id));
  const rows = [...live, ...listed.filter(({ id }) => !known.has(id))];
  // Requests arrive in the order in which they are settled, which can differ from the order in which they started.
  return live.length === 0 ? rows : rows.sort((one, other) => other.createdAt.localeCompare(one.createdAt));
}

/** Scroll distance above which the user is assumed to be reading, so rows must not move. */
const READING_PX = 60;

function isReading(): boolean {
  const scrolled = (document.getElementById("content")?.scrollTop ?? 0) > READING_PX;
  return scrolled || getSelection()?.isCollapsed === false;
}

/** Inserts the waiting rows when the user scrolls back to the top. */
function useReleaseOnTop(isLive: boolean, release: () => void): void {
  useEffect(() => {
    if (!isLive) return;
    const page = document.getElementById("content");
    const onScroll = () => {
      if (!isReading()) release();
    };
    page?.addEventListener("scroll", onScroll, { passive: true });
    return () => page?.removeEventListener("scroll", onScroll);
  }, [isLive, release]);
}
