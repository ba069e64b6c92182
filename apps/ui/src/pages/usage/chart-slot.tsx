import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

interface ChartSlotProps<Data> {
  readonly title: string;
  /** Subject of the error message if loading fails. */
  readonly what: string;
  readonly query: UseQueryResult<Data, Error>;
  readonly skeleton?: ReactNode;
  readonly className?: string;
  readonly children: (data: Data) => ReactNode;
}

/** Slot for one chart. The title is shown while the chart loads, and a failure doesn't affect other charts. */
export function ChartSlot<Data>({ title, what, query, skeleton, className, children }: ChartSlotProps<Data>) {
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] ${className ?? ""}`}>
      {query.data === undefined ? (
        <Panel title={title}>
          <Loaded query={query} what={what} skeleton={skeleton ?? <Skeleton className="h-[180px]" />}>
            {() => null}
          </Loaded>
        </Panel>
      ) : (
        <Loaded query={query} what={what}>
          {children}
        </Loaded>
      )}
    </div>
  );
}
