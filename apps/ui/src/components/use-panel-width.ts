import { useEffect, useState } from "react";

export const MINIMUM_WIDTH = 480;
export const MAXIMUM_WIDTH = 960;

/** What the list beside the panel needs at least; with less the panel lies over it. */
const LIST_WIDTH = 420;

// As it was left, until the page is loaded again.
let remembered = 640;

/** The width of the detail panel. While one is open, pages keep that much free at their right. */
export function usePanelWidth(): [number, (width: number) => void] {
  const [width, setWidth] = useState(remembered);
  useEffect(() => {
    const root = document.documentElement;
    const content = document.getElementById("content") ?? root;
    const place = () => {
      root.style.setProperty("--detail-inset", `${panelInset(width, content.clientWidth)}px`);
      // Under the top bar, and under a banner when there is one.
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

/** How much the page gives way to a panel of this width. */
export function panelInset(width: number, room: number): number {
  return room - width >= LIST_WIDTH ? width : 0;
}
