import { REQUEST_CLASSES } from "@tollgate/domain/figures/request-class.ts";
import { plainUsd, toCsv } from "../../charts/csv.ts";
import { columnOf, idOf } from "./usage-view.ts";
import type { Names } from "./use-names.ts";
import type { Usage } from "./use-usage.ts";

/** Returns the page's exact data as CSV, with a row per day or hour and entity. */
export function usageCsv({ report, grouping, dimension }: Usage, names: Names): string {
  const { timezone } = report.meta;
  return toCsv({
    head: [
      `${grouping === "day" ? "Day" : "Hour"} (${timezone})`,
      ...(dimension === "none" ? [] : [dimension, `${dimension} id`]),
      "requests",
      ...REQUEST_CLASSES,
      "prompt tokens",
      "cached tokens",
      "completion tokens",
      "reasoning tokens",
      "cache savings USD",
      "cost USD",
    ],
    rows: report.data.map((row) => {
      const entity = names.entityOf(dimension, row);
      const { requests, promptTokens, cachedTokens, completionTokens, reasoningTokens } = row;
      return [
        columnOf(row),
        ...(dimension === "none" ? [] : [names.nameOf(dimension, entity), idOf(entity)]),
        ...[requests, ...REQUEST_CLASSES.map((name) => row[name])].map(String),
        ...[promptTokens, cachedTokens, completionTokens, reasoningTokens].map(String),
        plainUsd(row.cacheSaved),
        plainUsd(row.cost),
      ];
    }),
  });
}
