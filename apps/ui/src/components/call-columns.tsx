import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { ArrowRight } from "lucide-react";
import { formatClock, formatTime } from "../format/time.ts";
import { Badge } from "./badge.tsx";
import type { Column } from "./data-table.tsx";
import { type Call, hasCost, reasonOf, servedBy, toneOf } from "./logged-call.ts";
import { Money } from "./money.tsx";
import { TimingBar } from "./timing-bar.tsx";

/** Columns that can be hidden. Time and status identify the row and are always shown. */
export const choosableColumns = [
  { id: "model", label: "Model" },
  { id: "key", label: "Key" },
  { id: "team", label: "Team" },
  { id: "in", label: "Input tokens" },
  { id: "out", label: "Output tokens" },
  { id: "cost", label: "Cost" },
  { id: "first", label: "First token" },
  { id: "duration", label: "Duration" },
  { id: "strip", label: "Timing" },
] as const;

const none = <span className="text-faint">–</span>;

/** Returns the columns of a request list. */
export function logColumns(
  zone: string,
  hidden: readonly string[] = [],
  /** True if a panel is open beside the table, so only the essential columns fit. */
  isTight = false,
): readonly Column<Call>[] {
  const columns: readonly Column<Call>[] = [
    {
      id: "time",
      header: `Time (${zone})`,
      sort: "createdAt",
      cell: ({ createdAt }) => <CallTime at={createdAt} zone={zone} />,
    },
    { id: "status", header: "Status", cell: (call) => <CallStatus call={call} /> },
    { id: "model", header: "Model", cell: (call) => <CallModel call={call} isTight={isTight} /> },
    {
      id: "key",
      header: "Key",
      priority: 5,
      cell: ({ apiKeyName, apiKeyId }) => (
        <span className="block max-w-28 truncate text-muted" title={apiKeyName ?? apiKeyId}>
          {apiKeyName ?? `…${apiKeyId.slice(-6)}`}
        </span>
      ),
    },
    {
      id: "team",
      header: "Team",
      priority: 1,
      cell: ({ teamName }) => (
        <span className="block max-w-24 truncate text-muted" title={teamName ?? undefined}>
          {teamName ?? none}
        </span>
      ),
    },
    { id: "in", header: "Input", align: "right", priority: 3, cell: ({ promptTokens }) => count(promptTokens) },
    {
      id: "out",
      header: "Output",
      align: "right",
      priority: 4,
      cell: ({ completionTokens }) => count(completionTokens),
    },
    {
      id: "cost",
      header: "Cost",
      align: "right",
      sort: "cost",
      cell: (call) => (hasCost(call) ? <Money nano={call.cost} form="request" /> : none),
    },
    {
      id: "first",
      header: "First token",
      align: "right",
      priority: 2,
      cell: ({ timeToFirstTokenMs }) => (
        <span className="text-muted">{timeToFirstTokenMs === null ? none : formatDuration(timeToFirstTokenMs)}</span>
      ),
    },
    {
      id: "duration",
      header: "Duration",
      align: "right",
      sort: "latencyMs",
      priority: 6,
      cell: ({ latencyMs }) => durationText(latencyMs),
    },
    {
      id: "strip",
      header: "Timing",
      // A request's panel leaves room for the other columns only. A bar that is cut off would be misread.
      priority: 7,
      cell: (call) => <TimingBar {...call} size="row" />,
    },
  ];
  return columns.filter(({ id }) => !hidden.includes(id));
}

/** A request as a two-line card. */
export function CallCard({ call, zone }: { readonly call: Call; readonly zone: string }) {
  const reason = reasonOf(call);
  return (
    <>
      <span className="flex items-center gap-2">
        <CallStatus call={call} />
        <span className="min-w-0 grow truncate font-medium">{servedBy(call).asked || "Not recorded"}</span>
        {hasCost(call) ? <Money nano={call.cost} form="request" /> : none}
      </span>
      <span className="flex items-center gap-2 text-meta text-muted">
        <span className="font-mono">{formatClock(call.createdAt, zone)}</span>
        <span className="min-w-0 grow truncate">{reason ?? call.apiKeyName}</span>
        <span className="whitespace-nowrap">{durationText(call.latencyMs)}</span>
        <TimingBar {...call} size="row" />
      </span>
    </>
  );
}

/** Status code of a request. The row also shows a word, so that the status doesn't depend on color. */
export function CallStatus({ call }: { readonly call: Pick<Call, "class" | "httpStatus"> }) {
  const tone = toneOf(call);
  if (tone === null) return <span className="px-[7px] font-mono text-meta text-muted">{call.httpStatus}</span>;
  return (
    <Badge tone={tone} mono>
      {call.httpStatus}
    </Badge>
  );
}

function CallModel({ call, isTight }: { readonly call: Call; readonly isTight: boolean }) {
  const { asked, served } = servedBy(call);
  const reason = reasonOf(call);
  const tone = toneOf(call) === "danger" ? "text-danger" : toneOf(call) === "warning" ? "text-warning" : "text-muted";
  return (
    <span className="flex max-w-60 items-center gap-1.5">
      {asked === "" ? (
        <span className="flex-none text-faint">Not recorded</span>
      ) : (
        <span className={`truncate font-medium ${isTight ? "max-w-[118px]" : ""}`} title={asked}>
          {asked}
        </span>
      )}
      {served !== null && !isTight && (
        <span className="inline-flex min-w-0 items-center gap-1 text-meta text-muted">
          <ArrowRight size={12} strokeWidth={1.5} aria-label="served by" />
          <span className="truncate" title={served}>
            {served}
          </span>
        </span>
      )}
      {call.weight > 1 && (
        <Badge>
          <span title={`Stands for ${formatCount(call.weight)} requests like it`}>×{formatCount(call.weight)}</span>
        </Badge>
      )}
      {call.cacheHit && !isTight && <Badge>cached</Badge>}
      {reason !== null && !isTight && (
        <span className={`min-w-0 truncate text-meta ${tone}`} title={reason}>
          {reason}
        </span>
      )}
    </span>
  );
}

/** Time of day. The title shows the full date. If the date isn't today, it is also shown before the time. */
function CallTime({ at, zone }: { readonly at: string; readonly zone: string }) {
  const isToday = formatTime(at, "day", zone) === formatTime(new Date(), "day", zone);
  const day = new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: zone });
  return (
    <time dateTime={at} title={`${formatTime(at, "millisecond", zone)} ${zone}`} className="font-mono text-muted">
      {isToday ? "" : `${day} `}
      {formatClock(at, zone, 3)}
    </time>
  );
}

/** Formats a duration. A refusal can take less time than the timer's resolution, which is recorded as 0. */
function durationText(latencyMs: number): string {
  return latencyMs === 0 ? "<1 ms" : formatDuration(latencyMs);
}

function count(tokens: number) {
  return tokens === 0 ? none : formatCount(tokens);
}
