import { Skeleton } from "../../components/skeleton.tsx";

const BARS = [78, 38, 39, 76, 69, 70, 80, 77, 40, 38, 81, 88, 69, 51];
const LEGEND = [8, 5, 6, 7, 6, 5, 9, 4];

/** Placeholder for the main chart. */
export function ChartSkeleton() {
  return (
    <div aria-hidden className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_232px]">
      <div className="flex h-[300px] items-end gap-[3%] px-8 pb-6">
        {BARS.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars are static and never change order.
          <div key={index} className="grow rounded-[4px] bg-grid" style={{ height: `${height}%` }} />
        ))}
      </div>
      <div className="grid content-start gap-3">
        <Skeleton className="h-3 w-24" />
        <Skeleton className="h-8 w-36" />
        {LEGEND.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are static and never change order.
          <div key={index} className="flex justify-between gap-4">
            <div className="h-3 rounded-[4px] bg-grid" style={{ width: `${width * 16}px` }} />
            <Skeleton className="h-3 w-12" />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Placeholder for the table. */
export function TableSkeleton() {
  return (
    <div aria-hidden className="-m-4">
      {LEGEND.map((width, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are static and never change order.
        <div key={index} className="flex h-[30px] items-center gap-6 border-b border-hairline px-4 last:border-0">
          <div className="mr-auto h-3 rounded-[4px] bg-grid" style={{ width: `${width * 20}px` }} />
          <Skeleton className="h-3 w-12" />
          <Skeleton className="h-3 w-12 max-sm:hidden" />
          <Skeleton className="h-3 w-24 max-sm:hidden" />
          <Skeleton className="h-3 w-14" />
        </div>
      ))}
    </div>
  );
}
