import { formatRelative, formatTime } from "../format/time.ts";
import { useNow } from "./use-now.ts";
import { useZone } from "./zone.ts";

interface TimeProps {
  readonly at: Date | string | null;
  readonly form?: "relative" | "day" | "minute" | "second" | "millisecond";
  readonly zone?: string;
}

/**
 * A timestamp, or "Never". The title shows the exact time and zone, because a tooltip per cell would slow down long
 * tables.
 */
export function Time(props: TimeProps) {
  const own = useZone();
  const { at, form = "relative", zone = own } = props;
  if (at === null) return <span className="text-muted">Never</span>;
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={`${formatTime(at, "millisecond", zone)} ${zone}`}
      className="whitespace-nowrap"
    >
      {form === "relative" ? <Relative at={at} zone={zone} /> : formatTime(at, form, zone)}
    </time>
  );
}

// Only relative times subscribe to the clock.
function Relative(props: { readonly at: Date | string; readonly zone: string }) {
  const now = useNow();
  const at = new Date(props.at);
  // A time after the last clock tick but before now is in the past, not the future.
  const isNew = at > now && at <= new Date();
  return formatRelative(at, isNew ? at : now, props.zone);
}
