import { Clock } from "lucide-react";
import { useNow } from "../../components/use-now.ts";

interface FreshnessProps {
  readonly dataUntil: string;
  readonly zone: string;
  readonly organization: string;
  /** True if only the user's teams are included. */
  readonly isOwnTeams: boolean;
}

/** Delay, in minutes, after which the data is marked as delayed. */
const LATE_MINUTES = 2;

/** Shows the time up to which the data is complete, and the time zone that defines the days. */
export function Freshness({ dataUntil, zone, organization, isOwnTeams }: FreshnessProps) {
  const now = useNow();
  const until = new Date(dataUntil);
  const clock = until.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
  const minutes = Math.floor((now.getTime() - until.getTime()) / 60_000);
  if (minutes <= LATE_MINUTES) {
    return `${isOwnTeams ? "Your teams. " : ""}Data up to ${clock}. Days are in ${zone}, the reporting time zone for ${organization}.`;
  }
  return (
    <span role="status" className="inline-flex items-center gap-1.5 text-warning">
      <Clock size={14} strokeWidth={1.5} aria-hidden />
      Data up to {clock} {zone}, {minutes} minutes behind
    </span>
  );
}
