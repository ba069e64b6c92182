import { type CallTiming, formatMs } from "@tollgate/sdk/platform";
import { describeTimingBar } from "./describe-timing-bar.ts";
import {
  type CostShare,
  moneySegments,
  rulerMarks,
  type Segment,
  type TimePart,
  timeParts,
  timeSegments,
} from "./timing-segments.ts";
import { moneyFill, StripSwatch, timeFill } from "./timing-swatch.tsx";

interface TimingBarProps {
  /** Null for requests without detailed timing. */
  readonly timing: CallTiming | null;
  readonly latencyMs: number | null;
  /** Class of the request. */
  readonly class: string;
  readonly cost?: bigint | null;
  /** Cost breakdown. Without it, the cost line is hidden. */
  readonly costLines?: readonly CostShare[] | null;
  /**
   * `row` is 64 pixels wide and `hub` is 42. The other sizes fill the available width. `lg` has a ruler and a legend.
   */
  readonly size: "row" | "hub" | "md" | "lg";
}

const sizes = {
  row: { box: "w-16 gap-0.5", time: "h-2 rounded-[1.5px]", money: "h-0.5 rounded-[1px]" },
  hub: { box: "w-[42px] gap-0.5", time: "h-2 rounded-[1.5px]", money: "h-0.5 rounded-[1px]" },
  md: { box: "w-full gap-0.5", time: "h-2.5 rounded-[1.5px]", money: "h-[3px] rounded-[1.5px]" },
  lg: { box: "w-full gap-[3px]", time: "h-5 rounded-[3px]", money: "h-[5px] rounded-[2px]" },
} as const;

/** Bar that breaks down a request's time and cost. Its full length is the request's duration. */
export function TimingBar(props: TimingBarProps) {
  const { timing, latencyMs, class: outcome, size } = props;
  if (size !== "lg") return <Bars {...props} />;
  const isTimed = outcome !== "refused" && timing !== null;
  return (
    <div className="grid gap-3">
      <div>
        {isTimed && <Ruler totalMs={latencyMs ?? sumOf(timing)} />}
        <Bars {...props} />
      </div>
      {isTimed && <Key timing={timing} />}
      {outcome === "refused" && (
        <p className="text-meta text-muted">Refused before any provider was called. No credit was held or charged.</p>
      )}
      {outcome !== "refused" && timing === null && (
        <p className="text-meta text-muted">No timing breakdown for this request.</p>
      )}
    </div>
  );
}

function Bars({ timing, latencyMs, class: outcome, cost = null, costLines = null, size }: TimingBarProps) {
  const look = sizes[size];
  const words = describeTimingBar({ timing, latencyMs, class: outcome, cost });
  const money = outcome === "refused" || costLines === null ? [] : moneySegments(costLines);
  return (
    <div role="img" aria-label={words} title={size === "lg" ? undefined : words} className={`grid ${look.box}`}>
      <div className={`flex gap-px overflow-hidden forced-color-adjust-none ${look.time}`}>
        {outcome === "refused" ? (
          <span className="h-full flex-1 rounded-[inherit] inset-ring inset-ring-outline" />
        ) : timing === null ? (
          <span className="h-full flex-1 bg-meter-track" />
        ) : (
          timeSegments(timing).map((segment) => <Piece key={segment.part} fill={timeFill[segment.part]} of={segment} />)
        )}
      </div>
      <div className={`flex gap-px overflow-hidden forced-color-adjust-none ${look.money}`}>
        {money.map((segment) => (
          <Piece key={segment.part} fill={moneyFill[segment.part]} of={segment} />
        ))}
      </div>
    </div>
  );
}

/** Each part is at least one pixel wide, so that even the gateway's own time is visible. */
function Piece({ fill, of }: { readonly fill: string; readonly of: Segment<string> }) {
  return <span className={`h-full min-w-px basis-0 ${fill}`} style={{ flexGrow: of.share * 1_000 }} />;
}

function Ruler({ totalMs }: { readonly totalMs: number }) {
  const marks = rulerMarks(totalMs);
  return (
    <div className="relative h-[18px] text-[11px] leading-[14px] text-muted" aria-hidden="true">
      {marks.map(({ share, label }, index) => {
        const [shift, line] =
          index === 0
            ? ["", "left-0"]
            : index === marks.length - 1
              ? ["-translate-x-full", "right-0"]
              : ["-translate-x-1/2", "left-1/2"];
        return (
          <span key={share} className={`absolute top-0 whitespace-nowrap ${shift}`} style={{ left: `${share * 100}%` }}>
            {label}
            <span className={`absolute top-[14px] h-1 w-px bg-axis ${line}`} />
          </span>
        );
      })}
    </div>
  );
}

const keyWords: Readonly<Record<TimePart, string>> = {
  gatewayBefore: "Gateway (request)",
  queue: "Queue",
  failed: "Failed attempt",
  firstToken: "First token",
  generation: "Generation",
  gatewayAfter: "Gateway (response)",
};

function Key({ timing }: { readonly timing: CallTiming }) {
  return (
    <dl className="grid grid-cols-1 gap-x-5 gap-y-1.5 text-meta sm:grid-cols-3">
      {timeParts(timing).map(([part, ms]) => (
        <div key={part} className="flex items-center gap-1.5">
          <StripSwatch part={part} />
          <dt className="text-muted">{keyWords[part]}</dt>
          <dd className="ml-auto font-medium">{formatMs(ms)} ms</dd>
        </div>
      ))}
    </dl>
  );
}

const sumOf = (timing: CallTiming): number => timeParts(timing).reduce((sum, [, ms]) => sum + ms, 0);
