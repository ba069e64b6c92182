import { useMemo } from "react";
import { useConfig } from "../api/config.ts";
import { useMe } from "../api/me.ts";
import { type Range, readRange } from "./range.ts";

/** Returns the organization's time zone, which defines its days. */
export function useZone(): string {
  const { organization } = useMe();
  const { timezone } = useConfig();
  return organization?.settings.timezone ?? timezone;
}

/** Returns the range from the URL. It advances once per minute, not on every render. */
export function useRange(text: string): { readonly range: Range; readonly zone: string } {
  const zone = useZone();
  const minute = Math.floor(Date.now() / 60_000);
  const range = useMemo(() => readRange(text, zone, new Date(minute * 60_000)), [text, zone, minute]);
  return { range, zone };
}
