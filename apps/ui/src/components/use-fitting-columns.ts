import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type Column, droppable, keepColumns } from "./table-column.ts";

/**
 * Drops columns by priority until the table fits its frame. If the table still doesn't fit, it overflows, and the frame
 * scrolls in both directions.
 */
export function useFittingColumns<Row>(frame: RefObject<HTMLElement | null>, columns: readonly Column<Row>[]) {
  const [dropped, setDropped] = useState(0);
  const [overflows, setOverflows] = useState(false);
  const [width, setWidth] = useState(0);
  /** Width that the rows need. Rows that are rendered later or have different values may need more width. */
  const [needed, setNeeded] = useState(0);
  const widest = useRef(0);
  const most = droppable(columns).length;

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
      setNeeded(element.firstElementChild?.scrollWidth ?? 0);
    });
    observer.observe(element);
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [frame]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || width === 0 || needed === 0) return;
    // The frame is wider than before, so try all columns again.
    if (width > widest.current && dropped > 0) {
      widest.current = width;
      setDropped(0);
      return;
    }
    widest.current = width;
    const isTooWide = (element.firstElementChild?.scrollWidth ?? 0) > element.clientWidth + 1;
    if (isTooWide && dropped < most) setDropped(dropped + 1);
    else setOverflows(isTooWide);
  }, [frame, width, needed, dropped, most]);

  return { columns: keepColumns(columns, dropped), overflows };
}
