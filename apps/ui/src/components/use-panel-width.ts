import { useEffect, useState } from "react";

export const MINIMUM_WIDTH = 480;
export const MAXIMUM_WIDTH = 960;

/** Minimum width of the list beside the panel. If less width is left, the panel covers the list. */
const LIST_WIDTH = 420;

// The last width is remembered until the page is reloaded.
let remembered = 640;

/** Returns and sets the width of the detail panel. While a panel is open, pages leave that much space on the right. */
export function usePanelWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(remembered);
  useEffect(() => {
    const root = document.documentElement;
    const content = document.getElementById("content") ?? root;
    const place = () => {
      root.style.setProperty("--detail-inset", `${panelInset(width, content.clientWidth)}px`);
      // The panel starts below the top bar, and below a banner if there is one.
      root.style.setProperty("--detail-top", `${Math.max(0, content.getBoundingClientRect().top)}px`);
    };
    const observer = new ResizeObserver(place);
    observer.observe(content);
    place();
    return () => {
      observer.disconnect();
      root.style.removeProperty("--detail-inset");
      root.style.removeProperty("--detail-top");
    };
  }, [width]);
  const set = (wanted: number) => {
    remembered = Math.min(MAXIMUM_WIDTH, Math.max(MINIMUM_WIDTH, Math.round(wanted)));
    setWidth(remembered);
  };
  return [width, set];
}

/** Returns how much space the page leaves for a panel of this width. */
function panelInset(width: number, room: number): number {
  return room - width >= LIST_WIDTH ? width : 0;
}
