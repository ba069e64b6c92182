import { formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { countTick, usdTick } from "../../charts/axis-labels.ts";
import { plainUsd } from "../../charts/csv.ts";
import type { Measure } from "./usage-view.ts";

export interface MeasureFormat {
  readonly text: (value: bigint) => string;
  readonly tick: (value: number) => string;
  /** Exact value, for exported files. */
  readonly plain: (value: bigint) => string;
}

/** Returns the formatters for a measure. Amounts have as many decimals as their total needs. */
export function measureFormat(measure: Measure, total: bigint): MeasureFormat {
  if (measure !== "spend") {
    return { text: (value) => formatCount(Number(value)), tick: countTick, plain: String };
  }
  return { text: formatMoneyColumn([total]), tick: usdTick, plain: plainUsd };
}
