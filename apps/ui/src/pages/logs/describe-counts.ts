import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { plural } from "../../format/plural.ts";

interface ListMeta {
  readonly counts: { readonly requests: number };
  readonly totalIsMinimum?: boolean;
}

/** Counts requests, as the histogram and the usage reports do, and not rows, which can stand for many requests. */
export function describeTotal({ counts, totalIsMinimum }: ListMeta, label: string): string {
  return `${totalIsMinimum === true ? "over " : ""}${plural(counts.requests, "request")}, ${label.toLowerCase()}`;
}

/** Describes how many of the matching requests are listed. Names the number of rows if rows stand for several requests. */
export function describeShown(rows: readonly { readonly weight: number }[], meta: ListMeta | undefined): string {
  const shown = rows.reduce((sum, { weight }) => sum + weight, 0);
  const inRows = shown === rows.length ? "" : ` in ${plural(rows.length, "row")}`;
  if (meta === undefined) return `${plural(shown, "request")}${inRows}`;
  // The live tail adds requests that finished after the list was counted.
  const total = Math.max(shown, meta.counts.requests);
  return `${formatCount(shown)} of ${meta.totalIsMinimum === true ? "over " : ""}${plural(total, "request")}${inRows}`;
}
