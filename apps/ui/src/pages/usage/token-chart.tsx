import { KindBars } from "./kind-bars.tsx";
import { columnOf, type UsageRow } from "./usage-view.ts";
import type { Usage } from "./use-usage.ts";

/** Token categories, from the bottom of a bar to the top. Each token counts once. */
const kinds = [
  { key: "output", label: "Output", color: "var(--color-c2)" },
  { key: "reasoning", label: "Reasoning", color: "var(--color-c5)" },
  { key: "input", label: "Input", color: "var(--color-c3)" },
  { key: "cached", label: "Cached input", color: "var(--color-c6)" },
] as const;

/** Tokens over time: input, cached input, output, and reasoning. */
export function TokenChart({ usage }: { readonly usage: Usage }) {
  const counts = usage.report.data.flatMap(countKinds);
  return (
    <KindBars
      usage={usage}
      title={`Tokens by ${usage.grouping}`}
      fileName="tokens"
      kinds={kinds.filter(({ key }) => counts.some(({ kind }) => kind === key))}
      counts={counts}
      hasTotal
    />
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
