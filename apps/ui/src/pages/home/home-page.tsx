import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useCall } from "../../api/queries.ts";
import { colorsFor } from "../../charts/series-colors.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { QuickStart } from "../../components/quick-start.tsx";
import { useNow } from "../../components/use-now.ts";
import { useSearchState } from "../../router-search.ts";
import { RangePicker } from "../../shell/range-picker.tsx";
import { useRange } from "../../shell/use-range.ts";
import { Checklist } from "./checklist.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { RecentErrors } from "./recent-errors.tsx";
import { RunwayPanel } from "./runway-panel.tsx";
import { SpendPanel } from "./spend-panel.tsx";
import { sumModels } from "./sum-models.ts";
import { TopKeys } from "./top-keys.tsx";
import { TopModels } from "./top-models.tsx";

const SAMPLE_MODEL = "sim/echo";

/** Overview of the organization: credit, spend, quality, and next steps. */
export function HomePage() {
  const [{ range: text }, set] = useSearchState({ range: "14d" });
  const { range, zone } = useRange(text);
  const time = { startDate: range.startDate, ...(range.endDate !== undefined && { endDate: range.endDate }) };
  const grouping = range.hours <= 48 ? ("hour" as const) : ("day" as const);
  const usage = useCall("getUsage", { query: { ...time, groupBy: [grouping, "model"], compare: "previous" } });
  const performance = useCall("getPerformance", {
    query: { hours: range.hours <= 24 ? 24 : range.hours <= 168 ? 168 : 720 },
  });
  const onboarding = useCall("getOnboarding");
  const queries = useQueryClient();
  const [hasArrived, setArrived] = useState(false);
  const readAgain = useCallback(() => {
    setArrived(true);
    for (const id of ["getUsage", "getPerformance", "getOnboarding"])
      void queries.invalidateQueries({ queryKey: [id] });
  }, [queries]);
  const colorOf = useMemo(() => colorsFor(sumModels(usage.data?.data ?? []).map(({ id }) => id)), [usage.data]);
  const isUnused = onboarding.data?.onboarding.steps.some(({ id, done }) => id === "send_request" && !done) === true;
  return (
    <Page
      title="Home"
      note={<Today zone={zone} />}
      wide
      action={
        <>
          <RangePicker value={text} range={range} zone={zone} onValue={(value) => set({ range: value })} />
          <ButtonLink to="/keys" search={{ create: "1" }} variant="primary" icon={<Plus size={16} strokeWidth={1.5} />}>
            Create API key
          </ButtonLink>
        </>
      }
    >
      <div className="flex flex-col gap-4 max-sm:gap-3 lg:flex-row">
        <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)]">
          <RunwayPanel />
        </div>
        <Checklist query={onboarding} />
      </div>
      {/* The checklist closes the step, and the panel keeps showing the request that has just arrived. */}
      {(isUnused || hasArrived) && (
        <Panel title="Send your first request" note="appears here when it arrives">
          <QuickStart model={SAMPLE_MODEL} onFirstRequest={readAgain} />
        </Panel>
      )}
      <Loaded query={usage} what="Usage">
        {(report) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <KeyFigures
              report={report}
              grouping={grouping}
              performance={performance.data?.performance ?? []}
              rangeLabel={range.label}
            />
            <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(320px,372px)]">
              <SpendPanel
                report={report}
                grouping={grouping}
                colorOf={colorOf}
                zone={zone}
                range={text}
                rangeLabel={range.label}
              />
              <RecentErrors />
            </div>
            <div className="grid gap-4 lg:grid-cols-2">
              <TopKeys time={time} />
              <TopModels report={report} performance={performance.data?.performance ?? []} colorOf={colorOf} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Current time in the zone used for daily totals. */
function Today({ zone }: { readonly zone: string }) {
  const now = useNow();
  const day = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return `${now.toLocaleString("en-GB", { ...day, ...clock, timeZone: zone })} ${zone}`;
}
