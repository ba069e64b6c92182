import { useEffect, useState } from "react";

/** Long enough that a word is typed as one question. */
const SETTLE_MS = 500;

/** The text once nobody has changed it for half a second, for questions that are asked while somebody types. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
