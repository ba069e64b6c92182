import { type ReactNode, useId } from "react";
import { classes } from "./classes.ts";

interface PanelProps {
  readonly title?: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  /** Removes the padding, for tables and lists that reach the edges. */
  readonly flush?: boolean;
  readonly footer?: ReactNode;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** Surface with a heading. */
export function Panel(props: PanelProps) {
  const headingId = useId();
  const hasHeader = Boolean(props.title ?? props.note ?? props.actions);
  return (
    <section
      aria-labelledby={props.title ? headingId : undefined}
      className={classes(
        "bg-surface border border-border rounded-panel min-w-0",
        props.flush && "overflow-clip",
        props.className,
      )}
    >
      {hasHeader ? (
        <header className="flex flex-wrap items-center gap-x-2 gap-y-1 min-h-11 px-4 py-1.5 border-b border-hairline">
          {/* Without much space, the note is below the title, so that a few actions stay beside both. */}
          <div className="flex min-w-0 flex-[1_1_min-content] flex-wrap items-center gap-x-2">
            {props.title ? (
              <h2 id={headingId} className="max-w-full truncate text-body font-semibold">
                {props.title}
              </h2>
            ) : null}
            {props.note ? <div className="min-w-0 text-meta text-muted wrap-anywhere">{props.note}</div> : null}
          </div>
          {props.actions ? <div className="ml-auto flex items-center gap-1">{props.actions}</div> : null}
        </header>
      ) : null}
      <div className={props.flush ? undefined : "p-4"}>{props.children}</div>
      {props.footer ? (
        <footer className="flex flex-wrap items-center gap-2 px-4 py-2 border-t border-hairline text-meta text-muted">
          {props.footer}
        </footer>
      ) : null}
    </section>
  );
}
