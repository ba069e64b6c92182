import { useEffect, useState } from "react";

/** Debounce delay, so that typing a word causes one request. */
const SETTLE_MS = 500;

/** Returns the text once it has been unchanged for half a second, for requests sent while the user types. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
