import type { ReactNode } from "react";
import { classes } from "./classes.ts";

interface PageProps {
  readonly title: string;
  /** Shown beside the title: the period and age of the data. */
  readonly note?: ReactNode;
  /** The primary action of the page, and related controls. */
  readonly action?: ReactNode;
  readonly filters?: ReactNode;
  /** Uses the full width, for tables and charts. Forms and settings are limited to 1,120 px for readability. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** Page layout: title row, filter row, content. Leaves space for an open detail panel. */
export function Page(props: PageProps) {
  return (
    <div className="lg:pr-[var(--detail-inset,0px)]">
      <title>{`${props.title} · Tollgate`}</title>
      <div
        className={classes(
          "grid grid-cols-[minmax(0,1fr)] content-start gap-4 max-sm:gap-3 px-6 pt-5 pb-8",
          "max-sm:px-4 max-sm:pt-4",
          !props.wide && "max-w-[1168px]",
        )}
      >
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2 min-h-8">
          <h1 className="text-title font-semibold min-w-0 wrap-anywhere">{props.title}</h1>
          {props.note ? <div className="text-table text-muted">{props.note}</div> : null}
          {props.action ? (
            <div className="ml-auto flex flex-wrap items-center gap-2 max-sm:ml-0 max-sm:w-full">{props.action}</div>
          ) : null}
        </header>
        {props.filters}
        {props.children}
      </div>
    </div>
  );
}
