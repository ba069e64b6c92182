import type { UseQueryResult } from "@tanstack/react-query";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import type { ColorOf } from "../../charts/series-colors.ts";
import { CacheChart } from "./cache-chart.tsx";
import { ChartSlot } from "./chart-slot.tsx";
import { ErrorChart, type ErrorView } from "./error-chart.tsx";
import { LatencyChart } from "./latency-chart.tsx";
import { LatencySwitch, type LatencyView } from "./latency-switch.tsx";
import { ModelSpeed } from "./model-speed.tsx";
import { TokenChart } from "./token-chart.tsx";
import type { Usage } from "./use-usage.ts";

type Performance = Operations["getPerformance"]["answer"];
type Entry = Performance["performance"][number];

interface SmallChartsProps {
  readonly course: UseQueryResult<Usage, Error>;
  readonly performance: UseQueryResult<Performance, Error>;
  /** Reports whether the filters include a model. */
  readonly isShown: (entry: Entry) => boolean;
  /** Period over which models are measured. */
  readonly over: string;
  /** Model colors, if the page is grouped by model. */
  readonly colorOf: ColorOf | null;
  readonly latency: LatencyView;
  readonly errors: ErrorView;
  readonly onChange: (change: { readonly latency?: LatencyView; readonly errors?: ErrorView }) => void;
}

const NEUTRAL: ColorOf = () => "var(--color-s-gen)";

/** Small charts of tokens, latency, errors, cache, and throughput. */
export function SmallCharts(props: SmallChartsProps) {
  const { course, performance, over, onChange } = props;
  const speed = {
    over,
    colorOf: props.colorOf ?? NEUTRAL,
    none: "No streamed requests in this period.",
  };
  return (
    <div className="@container">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-sm:gap-3 @[640px]:grid-cols-2 @[1080px]:grid-cols-6">
        <ChartSlot title="Tokens" what="Tokens" query={course} className="@[1080px]:col-span-2">
          {(data) => <TokenChart usage={data} />}
        </ChartSlot>
        {props.latency === "first" ? (
          <ChartSlot title="Time to first token" what="Latency" query={performance} className="@[1080px]:col-span-2">
            {(data) => (
              <ModelSpeed
                {...speed}
                title="Time to first token"
                entries={data.performance.filter(props.isShown)}
                valueOf={({ medianFirstTokenMs }) => medianFirstTokenMs}
                format={formatDuration}
                best="lowest"
                fileName="time-to-first-token"
                actions={<LatencySwitch view="first" onView={(latency) => onChange({ latency })} />}
              />
            )}
          </ChartSlot>
        ) : (
          <ChartSlot title="Duration" what="Latency" query={course} className="@[1080px]:col-span-2">
            {(data) => <LatencyChart usage={data} onView={(latency) => onChange({ latency })} />}
          </ChartSlot>
        )}
        <ChartSlot title="Errors by class" what="Errors" query={course} className="@[1080px]:col-span-2">
          {(data) => <ErrorChart usage={data} view={props.errors} onView={(errors) => onChange({ errors })} />}
        </ChartSlot>
        <ChartSlot title="Cache hit rate" what="The cache hit rate" query={course} className="@[1080px]:col-span-3">
          {(data) => <CacheChart usage={data} />}
        </ChartSlot>
        <ChartSlot
          title="Output tokens per second"
          what="Throughput"
          query={performance}
          className="@[640px]:col-span-2 @[1080px]:col-span-3"
        >
          {(data) => (
            <ModelSpeed
              {...speed}
              title="Output tokens per second"
              entries={data.performance.filter(props.isShown)}
              valueOf={({ outputTokensPerSecond }) => outputTokensPerSecond}
              format={(value) => value.toLocaleString("en-US", { maximumFractionDigits: 1 })}
              best="highest"
              fileName="output-tokens-per-second"
            />
          )}
        </ChartSlot>
      </div>
    </div>
  );
}
