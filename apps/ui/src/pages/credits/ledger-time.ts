import { dayOf } from "../../shell/range.ts";

/** Formats the time of a ledger entry: a timestamp, or a time range within one local day. */
export function describeTimeRange(from: string, until: string, zone: string): string {
  const day = new Date(until).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: zone,
    ...(dayOf(new Date(until), zone).slice(0, 4) !== dayOf(new Date(), zone).slice(0, 4) && { year: "numeric" }),
  });
  const [first, last] = [clock(from, zone), clock(until, zone)];
  return first === last ? `${day} ${last}` : `${day}, ${first} to ${last}`;
}

function clock(at: string, zone: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
}
