import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { CloseCross } from "./close-cross.tsx";

interface SheetProps {
  readonly title: string;
  /** Screen edge that the sheet opens from: bottom for filters, left for the menu. */
  readonly side?: "bottom" | "left";
  readonly open: boolean;
  readonly onClose: () => void;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** Overlay for content that doesn't fit beside the page on a small screen. */
export function Sheet(props: SheetProps) {
  const { side = "bottom" } = props;
  return (
    <Base.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Base.Popup
          className={classes(
            "fixed z-40 flex flex-col bg-raised shadow-float outline-none",
            "motion-safe:transition-transform motion-safe:duration-[150ms]",
            SIDES[side],
          )}
        >
          <header className="flex items-center gap-3 pl-4 pr-2 py-2 border-b border-hairline">
            <Base.Title className="grow text-section font-semibold">{props.title}</Base.Title>
            <CloseCross />
          </header>
          <div className={classes("grow min-h-0 overflow-y-auto", side === "bottom" && "p-4")}>{props.children}</div>
          {props.footer ? <footer className="flex gap-2 p-4 border-t border-border">{props.footer}</footer> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

const SIDES = {
  bottom: "inset-x-0 bottom-0 max-h-[85dvh] rounded-t-dialog data-[starting-style]:translate-y-full",
  left: "inset-y-0 left-0 w-[280px] max-w-[85vw] data-[starting-style]:-translate-x-full",
};
