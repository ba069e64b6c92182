import { type KeyboardEvent, type PointerEvent, useState } from "react";

interface ActiveColumn {
  readonly active: number | null;
  /** First and last columns of the current selection; null if no columns are selected. */
  readonly chosen: readonly [number, number] | null;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerLeave: () => void;
    readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
    readonly onFocus: () => void;
    readonly onBlur: () => void;
  };
}

interface ActiveInput {
  readonly count: number;
  readonly columnAt: (x: number) => number;
  /**
   * Called with the first and last columns after the user selects a range by dragging, or with Shift+arrow keys and
   * Enter.
   */
  readonly onRange?: ((first: number, last: number) => void) | undefined;
}

/** Tracks the active column (by pointer or arrow keys) and the selected range. */
export function useActiveColumn({ count, columnAt, onRange }: ActiveInput): ActiveColumn {
  const [active, setActive] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const placeOf = (event: PointerEvent<HTMLElement>) =>
    columnAt(event.clientX - event.currentTarget.getBoundingClientRect().left);
  const chosen =
    anchor === null || active === null || onRange === undefined
      ? null
      : ([Math.min(anchor, active), Math.max(anchor, active)] as const);
  const finish = () => {
    if (chosen !== null) onRange?.(...chosen);
    setAnchor(null);
  };
  const moveTo = (next: number, isChoosing: boolean) => {
    setAnchor(isChoosing ? (anchor ?? active ?? next) : null);
    setActive(Math.min(count - 1, Math.max(0, next)));
  };
  return {
    active: active === null || active >= count ? null : active,
    chosen,
    handlers: {
      onPointerDown: (event) => {
        if (onRange === undefined || event.pointerType === "touch") return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setAnchor(placeOf(event));
      },
      onPointerMove: (event) => setActive(placeOf(event)),
      onPointerUp: (event) => {
        // A click without dragging selects no range. Users select a one-column range with the keyboard.
        if (chosen !== null && chosen[0] !== chosen[1]) finish();
        else setAnchor(null);
        if (event.pointerType === "touch") setActive(placeOf(event));
      },
      onPointerLeave: () => {
        if (anchor === null) setActive(null);
      },
      onKeyDown: (event) => {
        const next = keyTarget(event.key, active, count);
        if (next !== null) {
          event.preventDefault();
          moveTo(next, event.shiftKey && onRange !== undefined);
        } else if (event.key === "Enter" && chosen !== null) {
          event.preventDefault();
          finish();
        } else if (event.key === "Escape" && active !== null) {
          event.stopPropagation();
          setAnchor(null);
          setActive(null);
        }
      },
      onFocus: () => setActive((before) => before ?? count - 1),
      onBlur: () => {
        setAnchor(null);
        setActive(null);
      },
    },
  };
}

function keyTarget(key: string, active: number | null, count: number): number | null {
  const at = active ?? count - 1;
  if (key === "ArrowLeft" || key === "ArrowDown") return at - 1;
  if (key === "ArrowRight" || key === "ArrowUp") return at + 1;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
