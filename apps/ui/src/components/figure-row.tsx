import { formatShare } from "@tollgate/domain/figures/size-text.ts";
import { ArrowDown, ArrowRight, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";

interface Figure {
  readonly label: string;
  readonly value: ReactNode;
  /** Change from the previous period: 0.084 is 8.4% more; null if the previous period has no value. */
  readonly change?: number | null;
  readonly spark?: ReactNode;
  readonly note?: ReactNode;
}

/** Key figures side by side. Changes have no color because an increase isn't necessarily bad. */
export function Figures(props: { readonly items: readonly Figure[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(150px,1fr))] gap-px bg-surface border border-border rounded-panel overflow-clip">
      {props.items.map((item) => (
        <div
          key={item.label}
          className="@container grid gap-[2px] content-start px-4 py-[14px] ring-1 ring-hairline min-w-0"
        >
          <dt className="text-meta text-muted">{item.label}</dt>
          <dd className="flex items-center gap-3 min-w-0">
            <span className="text-title font-semibold tracking-[-0.01em] whitespace-nowrap">{item.value}</span>
            {item.spark ? <span className="ml-auto hidden @[180px]:block">{item.spark}</span> : null}
          </dd>
          {item.change !== undefined || item.note ? (
            <dd className="flex flex-wrap items-center gap-x-1 text-meta text-muted">
              {item.change === undefined ? null : <Change change={item.change} />}
              {item.note}
            </dd>
          ) : null}
        </div>
      ))}
    </dl>
  );
}

function Change(props: { readonly change: number | null }) {
  const { change } = props;
  if (change === null) return <span>no previous period</span>;
  const Arrow = change === 0 ? ArrowRight : change > 0 ? ArrowUp : ArrowDown;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <Arrow size={12} aria-hidden />
      <span className="sr-only">{change > 0 ? "up" : change < 0 ? "down" : "unchanged"}</span>
      {formatShare(Math.abs(change))}
    </span>
  );
}
