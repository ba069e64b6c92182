import { Link } from "@tanstack/react-router";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { OctagonMinus } from "lucide-react";
import { shortDay } from "./day-ruler.ts";
import { type Burn, describeRunway, LOW_DAYS, RUNWAY_DAYS, type Runway, readRunway } from "./runway-reading.ts";
import { RunwayRuler } from "./runway-ruler.tsx";

interface RunwayMeterProps {
  readonly burn: Burn;
  /** `sidebar`: bottom of every page. `bar`: one line for narrow screens. `large`: a ruler in days. */
  readonly size: "sidebar" | "bar" | "large";
}

/**
 * Meter that shows how long the balance will last at the current burn rate. Shape and text make it readable without
 * color.
 */
export function RunwayMeter({ burn, size }: RunwayMeterProps) {
  const zone = burn.timezone;
  if (size === "large") return <RunwayRuler burn={burn} />;
  const runway = readRunway(burn);
  const inner = (
    <>
      <span className="flex items-baseline justify-between gap-2">
        <span
          className={`${size === "bar" ? "text-table" : "text-section tracking-[-0.005em]"} font-semibold ${tone(runway, true)}`}
        >
          <span className="sr-only">Balance </span>
          {formatMoney(burn.balance)}
        </span>
        <span className={`inline-flex items-center gap-1 text-table font-medium ${tone(runway, false)}`}>
          {runway.state === "blocked" && <OctagonMinus size={14} strokeWidth={1.5} aria-hidden="true" />}
          {runway.days}
        </span>
      </span>
      <Meter runway={runway} />
      <span className="sr-only">. Open credits.</span>
      {size === "sidebar" && (
        <span className="mt-1.5 flex justify-between gap-2 text-meta text-muted">
          <Foot burn={burn} runway={runway} zone={zone} />
        </span>
      )}
    </>
  );
  return (
    <Link
      to="/credits"
      title={describeRunway(burn)}
      className={`block text-text no-underline hover:bg-hover ${
        size === "sidebar" ? "border-t border-border px-3.5 pt-3 pb-3.5" : "min-w-0 flex-1 px-2 py-1"
      }`}
    >
      {inner}
    </Link>
  );
}

function Meter({ runway }: { readonly runway: Runway }) {
  if (runway.state === "blocked" || runway.state === "empty") {
    const edge = runway.state === "blocked" ? "inset-ring-danger" : "inset-ring-outline";
    return <span aria-hidden="true" className={`mt-1.5 block h-1.5 rounded-[3px] inset-ring-[1.5px] ${edge}`} />;
  }
  return (
    <span
      aria-hidden="true"
      className="relative mt-1.5 block h-1.5 rounded-[3px] bg-meter-track forced-color-adjust-none"
    >
      <span
        className={`absolute inset-y-0 left-0 rounded-[3px] ${runway.state === "low" ? "hatch-warning" : "bg-meter"}`}
        style={{ width: `${runway.lasts * 100}%` }}
      />
      <span
        className="absolute -inset-y-0.5 w-0.5 border-y-2 border-outline bg-sunken"
        style={{ left: `${(LOW_DAYS / RUNWAY_DAYS) * 100}%` }}
      />
    </span>
  );
}

function Foot({ burn, runway, zone }: { readonly burn: Burn; readonly runway: Runway; readonly zone: string }) {
  if (runway.state === "blocked") {
    return (
      <>
        <span>Requests are refused</span>
        {burn.blockedSince !== null && <span>since {sinceText(burn.blockedSince, zone)}</span>}
      </>
    );
  }
  if (runway.state === "empty") return <span>Add credits to call models</span>;
  return (
    <>
      <span>{formatMoney(burn.perDay)} per day</span>
      {burn.emptyAt !== null && <span>until {shortDay(burn.emptyAt, zone)}</span>}
    </>
  );
}

/** Formats a time as the time of day if it is today, otherwise as the date. */
function sinceText(at: string, zone: string): string {
  const day = shortDay(at, zone);
  if (day !== shortDay(new Date(), zone)) return day;
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
}

function tone({ state }: Runway, isBalance: boolean): string {
  if (state === "blocked") return "text-danger";
  return state === "low" && !isBalance ? "text-warning" : "";
}
