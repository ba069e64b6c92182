import { createContext, useContext } from "react";

export type Density = "compact" | "default" | "comfortable";

/** How close together the person wants rows. The shell gives their preference. */
export const DensityContext = createContext<Density>("default");

/** The height of a row: the person's choice before the table's own, and what a finger can hit on a touch screen. */
export function useRowHeight(own: "compact" | "default"): { readonly className: string; readonly pixels: number } {
  const wanted = useContext(DensityContext);
  return HEIGHTS[wanted === "default" ? own : wanted];
}

const HEIGHTS = {
  compact: { className: "h-[30px] pointer-coarse:h-11", pixels: 30 },
  default: { className: "h-9 pointer-coarse:h-11", pixels: 36 },
  comfortable: { className: "h-11", pixels: 44 },
};
