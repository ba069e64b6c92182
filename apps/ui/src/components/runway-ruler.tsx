import { useMemo } from "react";
import { dayRuler, shortDay, shortTimestamp } from "./day-ruler.ts";
import { type Burn, describeRunway, RUNWAY_DAYS, readRunway } from "./runway-reading.ts";

const DAY_MS = 86_400_000;

/**
 * The runway as a ruler in days: solid, hatched when low, dashed for uncredited payments, and with a pin at the end.
 */
export function RunwayRuler({ burn }: { readonly burn: Burn }) {
  const now = useMemo(() => new Date(), []);
  const zone = burn.timezone;
  const runway = readRunway(burn);
  const { lasts, solid, withPending } = runway;
  const isStopped = runway.state === "blocked" || runway.state === "empty";
  const endsHere = !isStopped && lasts < 1;
  return (
    <div
      role="img"
      aria-label={`${describeRunway(burn)} Shown over ${RUNWAY_DAYS} days.${pendingWords(burn)}`}
      className="@container relative h-[70px] forced-color-adjust-none"
    >
      <span
        className={`absolute inset-x-0 top-[26px] h-3.5 rounded-[2px] ${
          isStopped
            ? `inset-ring-[1.5px] ${runway.state === "blocked" ? "inset-ring-danger" : "inset-ring-outline"}`
            : "bg-meter-track"
        }`}
      />
      <RunwaySegment from={0} to={solid} className="rounded-l-[2px] bg-meter" />
      {!isStopped && (
        <RunwaySegment from={solid} to={lasts} className={runway.state === "low" ? "hatch-warning" : "hatch-meter"} />
      )}
      {withPending !== null && (
        <RunwaySegment
          from={lasts}
          to={withPending}
          className="rounded-r-[2px] border border-l-0 border-dashed border-outline bg-surface"
        />
      )}
      {endsHere && <span className="absolute top-2 -ml-px h-9 w-0.5 bg-text" style={{ left: percent(lasts) }} />}
      {burn.lowAt !== null && endsHere && solid > 0 && (
        <Flag at={solid} text={`Low from ${shortDay(burn.lowAt, zone)}`} />
      )}
      {burn.emptyAt !== null && endsHere && (
        <Flag at={lasts} text={`Empty ${shortTimestamp(burn.emptyAt, zone)}`} isMain />
      )}
      {withPending !== null && withPending < 1 && (
        <Flag at={withPending} text={`${dayAt(withPending, now, zone)} with ${pendingName(burn)}`} />
      )}
      {isStopped && (
        <span className="absolute top-1 left-0 text-meta font-semibold text-danger">
          {runway.state === "blocked" ? "Requests are refused" : "No credits"}
        </span>
      )}
      <Ticks now={now} zone={zone} />
    </div>
  );
}

function RunwaySegment({
  from,
  to,
  className,
}: {
  readonly from: number;
  readonly to: number;
  readonly className: string;
}) {
  if (to <= from) return null;
  const style = { left: percent(from), width: percent(to - from) };
  return <span className={`absolute top-[26px] h-3.5 ${className}`} style={style} />;
}

/** Label on the ruler. A narrow ruler shows only the end label, because more labels would overlap. */
function Flag({ at, text, isMain = false }: { readonly at: number; readonly text: string; readonly isMain?: boolean }) {
  const look = isMain
    ? "font-semibold text-text"
    : "text-muted @max-[600px]:hidden before:absolute before:top-1 before:h-[18px] before:w-px before:bg-outline";
  // Near the right end of the ruler, the label is placed left of its line so that the label stays inside.
  const side = at > 0.72 ? "-translate-x-full pr-1.5 before:right-0" : "pl-1.5 before:left-0";
  return (
    <span className={`absolute top-1 text-meta whitespace-nowrap ${look} ${side}`} style={{ left: percent(at) }}>
      {text}
    </span>
  );
}

function Ticks({ now, zone }: { readonly now: Date; readonly zone: string }) {
  const ticks = useMemo(() => dayRuler(now, RUNWAY_DAYS, zone), [now, zone]);
  const majors = ticks.filter(({ isMajor }) => isMajor);
  return (
    <>
      {ticks.map(({ share, isMajor }) => (
        <span
          key={share}
          className={`absolute top-[43px] w-px ${isMajor ? "h-2 bg-outline" : "h-1 bg-axis"}`}
          style={{ left: share === 1 ? "calc(100% - 1px)" : percent(share) }}
        />
      ))}
      {majors.map(({ share, label }, index) => {
        const shift = index === 0 ? "" : index === majors.length - 1 ? "-translate-x-full" : "-translate-x-1/2";
        const hides = index % 2 === 1 ? "@max-[600px]:hidden" : "";
        return (
          <span
            key={share}
            className={`absolute top-[54px] text-meta whitespace-nowrap text-muted ${shift} ${hides}`}
            style={{ left: percent(share) }}
          >
            {label}
          </span>
        );
      })}
    </>
  );
}

function pendingName({ pendingPurchases }: Burn): string {
  const [first, ...others] = pendingPurchases;
  return others.length === 0 ? (first?.id ?? "") : `${pendingPurchases.length} orders`;
}

const pendingWords = (burn: Burn): string =>
  burn.pendingPurchases.length === 0 ? "" : ` Not yet credited: ${pendingName(burn)}.`;

const dayAt = (share: number, now: Date, zone: string): string =>
  shortDay(new Date(now.getTime() + share * RUNWAY_DAYS * DAY_MS), zone);

const percent = (share: number): string => `${share * 100}%`;
