import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { isTyping } from "../shell/shortcuts.ts";
import { IconButton } from "./button.tsx";
import { PanelResizer } from "./panel-resizer.tsx";
import { COMPACT, useMedia } from "./use-media.ts";
import { usePanelWidth } from "./use-panel-width.ts";

interface DetailPanelProps {
  readonly title: ReactNode;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly onPrevious?: (() => void) | undefined;
  readonly onNext?: (() => void) | undefined;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/**
 * Details of one list item, shown to the right of the list or, below 1,024 px, as a full page. The list stays usable.
 */
export function DetailPanel(props: DetailPanelProps) {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const isWhole = useMedia(COMPACT);
  const [width, setWidth] = usePanelWidth();
  usePanelFocus(panel);
  usePanelKeys(props, panel);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby={titleId}
      style={isWhole ? undefined : { width }}
      className={
        "fixed right-0 bottom-0 top-[var(--detail-top,48px)] z-20 flex flex-col bg-surface border-l border-border shadow-float outline-none " +
        "max-lg:inset-0 max-lg:z-30 max-lg:border-l-0"
      }
    >
      {isWhole ? null : <PanelResizer width={width} onWidth={setWidth} />}
      <header className="px-5 py-3 border-b border-border max-sm:px-4">
        <div className="flex items-center gap-2 min-h-8">
          <h2 id={titleId} className="min-w-0 truncate text-section font-semibold">
            {props.title}
          </h2>
          <div className="ml-auto flex flex-none items-center gap-1">
            {props.actions}
            {props.onPrevious || props.onNext ? <Steps {...props} /> : null}
            <IconButton label="Close" icon={<X size={16} strokeWidth={1.5} />} onClick={props.onClose} />
          </div>
        </div>
        {props.subtitle ? <div className="text-meta text-muted">{props.subtitle}</div> : null}
      </header>
      <div className="grow min-h-0 overflow-y-auto">{props.children}</div>
      {props.footer ? (
        <footer className="flex flex-wrap items-center gap-2 px-5 py-3 border-t border-border max-sm:px-4">
          {props.footer}
        </footer>
      ) : null}
    </section>
  );
}

/** Section of a detail panel, with a heading. */
export function DetailSection(props: {
  title?: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-[10px] px-5 py-4 border-b border-hairline last:border-b-0 max-sm:px-4">
      {props.title || props.note || props.actions ? (
        <div className="flex flex-wrap items-center gap-2">
          {props.title ? <h3 className="text-table font-semibold">{props.title}</h3> : null}
          {props.note ? <div className="text-meta text-muted">{props.note}</div> : null}
          {props.actions ? <div className="ml-auto flex items-center gap-2">{props.actions}</div> : null}
        </div>
      ) : null}
      {props.children}
    </section>
  );
}

function Steps(props: DetailPanelProps) {
  const none = () => {};
  return (
    <>
      <IconButton
        label="Previous"
        icon={<ChevronUp size={16} strokeWidth={1.5} />}
        onClick={props.onPrevious ?? none}
        disabledReason={props.onPrevious ? null : "No previous item"}
      />
      <IconButton
        label="Next"
        icon={<ChevronDown size={16} strokeWidth={1.5} />}
        onClick={props.onNext ?? none}
        disabledReason={props.onNext ? null : "No next item"}
      />
    </>
  );
}

/** Moves the focus to the panel when it opens, and restores the previous focus when it closes. */
function usePanelFocus(panel: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const before = document.activeElement;
    const opened = panel.current;
    // A form in the panel may have already focused its first field.
    if (!opened?.contains(before)) opened?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [panel]);
}

/**
 * Closes the panel on Escape. The j, k, and bracket keys change the item while the focus is in the panel or on a list
 * row.
 */
function usePanelKeys(props: DetailPanelProps, panel: { readonly current: HTMLElement | null }): void {
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as Element;
      // A layer above the panel handles Escape itself.
      if (event.defaultPrevented || target.closest("[role=dialog], [role=menu], [role=listbox]")) return;
      if (event.key === "Escape") {
        // Leave the field first, so that a single Escape key press doesn't close the panel and discard the input.
        if (isTyping(target)) panel.current?.focus({ preventScroll: true });
        else latest.current.onClose();
        return;
      }
      const isHere = panel.current?.contains(target) === true || target.closest("[data-row]") !== null;
      if (!isHere || isTyping(target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === "k" || event.key === "[") latest.current.onPrevious?.();
      if (event.key === "j" || event.key === "]") latest.current.onNext?.();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [panel]);
}
