import { useCallback, useSyncExternalStore } from "react";

/** Width below which tables become cards and filters move into a sheet. */
export const NARROW = "(max-width: 639.98px)";

/** Width below which a detail panel fills the page. */
export const COMPACT = "(max-width: 1023.98px)";

/** Reports whether a media query matches, and updates when the result changes. */
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
