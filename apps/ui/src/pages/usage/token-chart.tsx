import { countTick } from "../../charts/axis-labels.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LegendRow } from "../../charts/stack-legend.tsx";
import { stackRows, stackTable, summariseStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { formatCount } from "../../format/numbers.ts";
import { columnOf, type UsageRow } from "./usage-view.ts";
import type { Usage } from "./use-usage.ts";

/** What tokens are counted as, from the bottom of a bar to its top. Each token is in one of them. */
const kinds = [
  { key: "output", label: "Output", colour: "var(--color-c2)" },
  { key: "reasoning", label: "Reasoning", colour: "var(--color-c5)" },
  { key: "input", label: "Input", colour: "var(--color-c3)" },
  { key: "cached", label: "Cached input", colour: "var(--color-c6)" },
] as const;

/** Tokens over time: input, read from a cache, output and reasoning. */
export function TokenChart({ usage }: { readonly usage: Usage }) {
  const { report, grouping, columns } = usage;
  const stack = stackRows({
    columns,
    rows: report.data.flatMap((row) => countKinds(row)),
    columnOf: ({ column }) => column,
    seriesOf: ({ kind }) => kind,
    valueOf: ({ count }) => count,
    labelOf: (key) => kinds.find((kind) => kind.key === key)?.label ?? key,
    order: kinds.map(({ key }) => key),
  });
  const text = (value: bigint) => formatCount(Number(value));
  const title = `Tokens by ${grouping}`;
  const head = grouping === "day" ? "Day" : "Hour";
  return (
    <ChartFrame
      title={title}
      note={`${text(stack.total)} in total`}
      zone={report.meta.timezone}
      summary={summariseStack(stack, title, text)}
      table={stackTable(stack, head, text)}
      csv={stackTable(stack, head, String, "key")}
      fileName={`tokens-by-${grouping}`}
      isCompact
      isZoneBelow
    >
      <StackedBars
        stack={stack}
        colourOf={(key) => kinds.find((kind) => kind.key === key)?.colour ?? ""}
        label={title}
        format={text}
        formatTick={countTick}
        height={160}
        lines={2}
      />
      <LegendRow entries={kinds.filter(({ key }) => stack.series.some((each) => each.key === key))} />
    </ChartFrame>
  );
}

function countKinds(row: UsageRow) {
  const counts = {
    output: row.completionTokens - row.reasoningTokens,
    reasoning: row.reasoningTokens,
    input: row.promptTokens - row.cachedTokens,
    cached: row.cachedTokens,
  };
  return kinds
    .filter(({ key }) => counts[key] > 0)
    .map(({ key }) => ({ column: columnOf(row), kind: key, count: counts[key] }));
}
