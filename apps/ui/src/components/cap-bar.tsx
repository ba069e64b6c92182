import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { CapMeter } from "./cap-meter.tsx";
import { capShare } from "./cap-share.ts";
import { Time } from "./time.tsx";

interface CapBarProps {
  readonly spent: bigint;
  readonly limit: bigint | null;
  readonly resetsAt?: string | Date | null;
}

/** Bar that shows spend as a share of a cap: hatched from 80%, red at the cap. Shows text if there is no cap. */
export function CapBar(props: CapBarProps) {
  const { spent, limit } = props;
  if (limit === null) return <span className="text-muted">No cap</span>;
  const share = capShare(spent, limit);
  const text = `${formatMoney(spent)} of ${formatMoney(limit)}`;
  return (
    <span className="inline-flex items-center gap-2 align-middle w-full min-w-[120px]">
      <meter className="sr-only" min={0} max={1} value={share} aria-label="Spend against cap">
        {text}
      </meter>
      <CapMeter share={share} title={text} className="min-w-10 grow" />
      <span className="min-w-14 text-right">{formatMoney(limit)}</span>
      {props.resetsAt ? (
        <span className="text-meta text-muted">
          resets <Time at={props.resetsAt} form="day" />
        </span>
      ) : null}
    </span>
  );
}
