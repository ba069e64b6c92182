import { createContext, useContext } from "react";

type Density = "compact" | "default" | "comfortable";

/** Row density from the user's preferences, provided by the shell. */
export const DensityContext = createContext<Density>("default");

/**
 * Returns the row height. The user's preference overrides the table's default, and rows are taller on touch screens.
 */
export function useRowHeight(own: "compact" | "default"): { readonly className: string; readonly pixels: number } {
  const wanted = useContext(DensityContext);
  return HEIGHTS[wanted === "default" ? own : wanted];
}

const HEIGHTS = {
  compact: { className: "h-[30px] pointer-coarse:h-11", pixels: 30 },
  default: { className: "h-9 pointer-coarse:h-11", pixels: 36 },
  comfortable: { className: "h-11", pixels: 44 },
};
