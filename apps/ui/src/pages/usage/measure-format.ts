import { countTick, usdTick } from "../../charts/axis-labels.ts";
import { plainUsd } from "../../charts/csv.ts";
import { formatPartsOf } from "../../format/money.ts";
import { formatCount } from "../../format/numbers.ts";
import type { Measure } from "./usage-view.ts";

export interface MeasureFormat {
  readonly text: (value: bigint) => string;
  readonly tick: (value: number) => string;
  /** Exact value, for exported files. */
  readonly plain: (value: bigint) => string;
}

/** Returns the formatters for a measure. All amounts have two decimals, or six if the total is less than a dollar. */
export function measureFormat(measure: Measure, total: bigint): MeasureFormat {
  if (measure !== "spend") {
    return { text: (value) => formatCount(Number(value)), tick: countTick, plain: String };
  }
  return { text: formatPartsOf(total), tick: usdTick, plain: plainUsd };
}
