import { formatTotal } from "../format/money.ts";
import { capShare } from "./cap-share.ts";
import { classes } from "./classes.ts";
import { Time } from "./time.tsx";

interface CapBarProps {
  readonly spent: bigint;
  readonly limit: bigint | null;
  readonly resetsAt?: string | Date | null;
}

/** How much of a cap is spent: hatched from 80 % on, red at the cap, and words where there is none. */
export function CapBar(props: CapBarProps) {
  const { spent, limit } = props;
  if (limit === null) return <span className="text-muted">No cap</span>;
  const share = capShare(spent, limit);
  const text = `${formatTotal(spent)} of ${formatTotal(limit)}`;
  return (
    <span className="inline-flex items-center gap-2 align-middle w-full min-w-[120px]">
      <meter className="sr-only" min={0} max={1} value={share} aria-label="Spent of cap">
        {text}
      </meter>
      <span aria-hidden className="relative grow min-w-10 h-1 rounded-full bg-meter-track overflow-hidden" title={text}>
        <span
          className={classes(
            "absolute inset-y-0 left-0 rounded-full",
            share >= 1 ? "bg-danger" : share >= 0.8 ? "hatch-warning" : "bg-meter",
          )}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="text-right">{formatTotal(limit)}</span>
      {props.resetsAt ? (
        <span className="text-meta text-muted">
          resets <Time at={props.resetsAt} form="day" />
        </span>
      ) : null}
    </span>
  );
}
