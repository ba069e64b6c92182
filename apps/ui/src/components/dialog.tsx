import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { CloseCross } from "./close-cross.tsx";

interface DialogProps {
  readonly title: ReactNode;
  /** Line under the title. */
  readonly note?: ReactNode;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly width?: number;
  /**
   * True if clicking outside, Escape, or the close button closes the dialog; false if closing would lose content, such
   * as a secret.
   */
  readonly dismissable?: boolean;
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
}

/** Modal for confirmations, secrets that are shown once, and payment. Modals never stack. */
export function Dialog(props: DialogProps) {
  const { dismissable = true, width = 520 } = props;
  return (
    <Base.Root
      open={props.open}
      onOpenChange={(open) => !open && dismissable && props.onClose()}
      disablePointerDismissal={!dismissable}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Base.Viewport className="fixed inset-0 z-40 grid grid-cols-[minmax(0,1fr)] place-items-center p-4">
          <Base.Popup
            style={{ width }}
            className={
              "flex flex-col max-w-full max-h-[calc(100dvh-32px)] bg-raised border border-border rounded-dialog shadow-float " +
              "outline-none motion-safe:transition-opacity motion-safe:duration-[150ms] data-[starting-style]:opacity-0"
            }
          >
            <header className="flex items-start gap-3 pl-5 pr-3 pt-3">
              <div className="grow min-w-0 pt-1 wrap-anywhere">
                <Base.Title className="text-section font-semibold">{props.title}</Base.Title>
                {props.note ? (
                  <Base.Description className="text-table text-muted">{props.note}</Base.Description>
                ) : null}
              </div>
              {dismissable ? <CloseCross /> : null}
            </header>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-5 pt-3 pb-5 overflow-y-auto min-h-0">
              {props.children}
            </div>
            {props.footer ? (
              <footer className="flex flex-wrap items-center justify-end gap-2 px-5 py-3 border-t border-border">
                {props.footer}
              </footer>
            ) : null}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
