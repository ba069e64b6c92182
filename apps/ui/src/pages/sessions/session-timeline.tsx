import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { CallStatus } from "../../components/call-columns.tsx";
import { type Call, hasCost, reasonOf, servedBy } from "../../components/logged-call.ts";
import { Money } from "../../components/money.tsx";
import { rulerMarks } from "../../components/timing-segments.ts";
import { formatTime } from "../../format/time.ts";
import { layOutTimeline } from "./timeline-layout.ts";

interface SessionTimelineProps {
  readonly calls: readonly Call[];
  readonly zone: string;
}

/** Width of the columns beside the bars. On phones, the bar is below them. */
const COLUMNS =
  "grid grid-cols-[64px_minmax(0,1fr)_auto] gap-x-3 gap-y-1 sm:grid-cols-[64px_minmax(0,200px)_minmax(0,1fr)_84px_92px]";

/** Requests of a session in the order of their start, with a bar for the time that each of them took. */
export function SessionTimeline({ calls, zone }: SessionTimelineProps) {
  const { totalMs, bars } = layOutTimeline(calls);
  return (
    <div className="min-w-0">
      <div aria-hidden className={`${COLUMNS} px-4 pt-2 text-[11px] leading-[14px] text-muted max-sm:hidden`}>
        <span>Status</span>
        <span>Model</span>
        <span className="relative h-[18px]">
          {rulerMarks(totalMs).map(({ share, label }, index, marks) => (
            <span
              key={share}
              className={`absolute top-0 whitespace-nowrap ${index === 0 ? "" : index === marks.length - 1 ? "-translate-x-full" : "-translate-x-1/2"}`}
              style={{ left: `${share * 100}%` }}
            >
              {label}
            </span>
          ))}
        </span>
        <span className="text-right">Duration</span>
        <span className="text-right">Cost</span>
      </div>
      <ol aria-label="Session requests">
        {bars.map(({ call, offsetMs, left, width }) => (
          <li key={call.id} className="border-t border-hairline">
            <Link
              to="/logs/$callId"
              params={{ callId: call.id }}
              title={`${formatTime(call.createdAt, "millisecond", zone)} ${zone}`}
              className={`${COLUMNS} items-center px-4 py-2 text-table hover:bg-hover focus-visible:-outline-offset-2`}
            >
              <span>
                <CallStatus call={call} />
              </span>
              <span className="grid min-w-0">
                <span className="truncate font-medium">{servedBy(call).asked || "Not recorded"}</span>
                <span className="truncate text-meta text-muted">{outcomeOf(call)}</span>
              </span>
              <span className="relative h-3 rounded-[2px] bg-meter-track forced-color-adjust-none max-sm:order-last max-sm:col-span-3">
                <span
                  className={`absolute inset-y-0 min-w-[3px] rounded-[2px] ${fills[call.class]}`}
                  style={{ left: `min(${left * 100}%, calc(100% - 3px))`, width: `${width * 100}%` }}
                />
              </span>
              <span className="text-right text-muted max-sm:hidden">
                <Duration call={call} offsetMs={offsetMs} />
              </span>
              <span className="text-right whitespace-nowrap">
                <span className="mr-2 text-meta text-muted sm:hidden">
                  <Duration call={call} offsetMs={offsetMs} />
                </span>
                {hasCost(call) ? <Money nano={call.cost} form="request" /> : <span className="text-faint">–</span>}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Colors of the bars. The row also has the status and its meaning as text. */
const fills: Readonly<Record<Call["class"], string>> = {
  succeeded: "bg-success",
  failed: "bg-danger",
  refused: "bg-warning",
  rejected: "bg-warning",
  canceled: "bg-outline",
};

function outcomeOf(call: Call): string {
  return reasonOf(call) ?? (call.cacheHit ? "From the cache" : "Succeeded");
}

/** Duration of a request. Screen readers also get its start, which the bar shows to others. */
function Duration({ call, offsetMs }: { readonly call: Call; readonly offsetMs: number }) {
  return (
    <>
      {call.latencyMs === 0 ? "<1 ms" : formatDuration(call.latencyMs)}
      <span className="sr-only"> from {formatDuration(offsetMs)}</span>
    </>
  );
}
