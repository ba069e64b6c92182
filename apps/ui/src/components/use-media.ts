import { useCallback, useSyncExternalStore } from "react";

/** Where tables become cards and filters move into a sheet. */
export const NARROW = "(max-width: 639.98px)";

/** Where a detail takes the whole page. */
export const COMPACT = "(max-width: 1023.98px)";

/** Whether a media query holds, followed while it changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
