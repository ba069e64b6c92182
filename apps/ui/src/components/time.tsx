import { formatRelative, formatTime } from "../format/time.ts";
import { useNow } from "./use-now.ts";
import { useZone } from "./zone.ts";

interface TimeProps {
  readonly at: Date | string | null;
  readonly form?: "relative" | "day" | "minute" | "second" | "millisecond";
  readonly zone?: string;
}

/** A moment, or "Never". Exact and with its zone in the title, which costs a long table less than a tooltip a cell. */
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
      {form === "relative" ? <Relative at={at} /> : formatTime(at, form, zone)}
    </time>
  );
}

// Only what ages listens to the clock.
function Relative(props: { readonly at: Date | string }) {
  const now = useNow();
  const at = new Date(props.at);
  // What happened since the last tick of the clock is new, not to come.
  const isNew = at > now && at <= new Date();
  return formatRelative(at, isNew ? at : now);
}
