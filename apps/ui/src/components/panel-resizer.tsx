import type { KeyboardEvent, PointerEvent } from "react";
import { MAXIMUM_WIDTH, MINIMUM_WIDTH } from "./use-panel-width.ts";

const STEP = 32;

/** Edge of a detail panel. Dragging it or pressing an arrow key resizes the panel. */
export function PanelResizer(props: { readonly width: number; readonly onWidth: (width: number) => void }) {
  const onPointerDown = (event: PointerEvent<HTMLElement>) => event.currentTarget.setPointerCapture(event.pointerId);
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) props.onWidth(window.innerWidth - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") props.onWidth(props.width + STEP);
    if (event.key === "ArrowRight") props.onWidth(props.width - STEP);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a movable divider is a separator, and <hr> cannot contain the handle.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Panel width"
      aria-valuenow={props.width}
      aria-valuemin={MINIMUM_WIDTH}
      aria-valuemax={MAXIMUM_WIDTH}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="absolute -left-2 inset-y-0 w-4 grid place-items-center cursor-col-resize touch-none"
    >
      <span className="w-[5px] h-8 rounded-full bg-outline-soft" />
    </div>
  );
}
