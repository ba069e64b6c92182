import { useMemo } from "react";
import { useConfig } from "../api/config.ts";
import { useMe } from "../api/me.ts";
import { type Range, readRange } from "./range.ts";

/** The zone in which days are days: the organization's own. */
export function useZone(): string {
  const { organization } = useMe();
  const { timezone } = useConfig();
  return organization?.settings.timezone ?? timezone;
}

/** The range an address names. It moves on when the minute does, not with every drawing. */
export function useRange(text: string): { readonly range: Range; readonly zone: string } {
  const zone = useZone();
  const minute = Math.floor(Date.now() / 60_000);
  const range = useMemo(() => readRange(text, zone, new Date(minute * 60_000)), [text, zone, minute]);
  return { range, zone };
}
