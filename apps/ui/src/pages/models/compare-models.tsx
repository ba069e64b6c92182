import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { ReactNode } from "react";
import { capabilities, type HubModel, hasCapability } from "../../api/hub-model.ts";
import { Money } from "../../components/money.tsx";
import { monthlyCost, type Workload } from "../../components/monthly-cost.ts";
import { TimingBar } from "../../components/timing-bar.tsx";
import { formatPerMillion } from "../../format/money.ts";
import { CapabilityMarks } from "./capability-marks.tsx";
import { bestOf } from "./compare-values.ts";

export interface CompareRow {
  readonly label: string;
  readonly cells: readonly { readonly id: string; readonly content: ReactNode; readonly isBest: boolean }[];
  /** True if all models have the same value. */
  readonly isSame: boolean;
  readonly isSum: boolean;
}

interface RowRule {
  readonly label: string;
  readonly draw: (model: HubModel) => ReactNode;
  /** Value to compare. `wanted` defines whether lower or higher is better. */
  readonly value: (model: HubModel) => number | bigint | string | null;
  readonly wanted?: "low" | "high";
  readonly isSum?: boolean;
}

/** Returns the rows of a comparison. The last row is the cost of the workload for 30 days. */
export function compareModels(
  models: readonly HubModel[],
  workload: Workload,
  spend: ReadonlyMap<string, bigint> | null,
): readonly CompareRow[] {
  return rulesFor(workload, spend).map(({ label, draw, value, wanted, isSum = false }) => {
    const values = models.map(value);
    const best = wanted === undefined ? new Set() : bestOf(values as (number | bigint | null)[], wanted);
    return {
      label,
      isSum,
      isSame: new Set(values).size === 1 && !isSum,
      cells: models.map((model, index) => ({ id: model.id, content: draw(model), isBest: best.has(index) })),
    };
  });
}

function rulesFor(workload: Workload, spend: ReadonlyMap<string, bigint> | null): readonly RowRule[] {
  const price = (label: string, read: (model: HubModel) => bigint | null): RowRule => ({
    label,
    value: read,
    wanted: "low",
    draw: (model) => priceText(read(model), model),
  });
  const count = (label: string, read: (model: HubModel) => number | null): RowRule => ({
    label,
    value: read,
    wanted: "high",
    draw: (model) => read(model)?.toLocaleString("en-US") ?? "–",
  });
  return [
    price("Input per 1M", ({ pricing }) => pricing.inputPerMillionTokens),
    price("Cached input per 1M", ({ pricing }) => pricing.cachedInputPerMillionTokens),
    price("Output per 1M", ({ pricing }) => pricing.outputPerMillionTokens),
    count("Context window", ({ contextWindow }) => contextWindow),
    count("Max output tokens", ({ maxOutputTokens }) => maxOutputTokens),
    {
      label: "Capabilities",
      value: (model) => capabilities.filter(({ name }) => hasCapability(model, name)).length,
      draw: (model) => <CapabilityMarks model={model} />,
    },
    {
      label: "First token, median",
      value: ({ performance }) => performance?.medianFirstTokenMs ?? null,
      wanted: "low",
      draw: ({ performance }) => durationText(performance?.medianFirstTokenMs ?? null),
    },
    {
      label: "Total time, median",
      value: ({ performance }) => performance?.p50LatencyMs ?? null,
      wanted: "low",
      draw: ({ performance }) => durationText(performance?.p50LatencyMs ?? null),
    },
    {
      label: "Median request",
      value: ({ performance }) => JSON.stringify(performance?.medianTiming ?? null),
      draw: ({ performance }) =>
        performance?.medianTiming ? (
          <span className="block max-w-40">
            <TimingBar
              timing={performance.medianTiming}
              latencyMs={performance.p50LatencyMs}
              class="succeeded"
              size="md"
            />
          </span>
        ) : (
          "–"
        ),
    },
    {
      label: "Success rate, 24 h",
      value: ({ performance }) => performance?.successRate ?? null,
      wanted: "high",
      draw: ({ performance }) => {
        const rate = performance?.successRate ?? null;
        return rate === null ? "No requests" : formatShare(rate, 2);
      },
    },
    ...(spend === null
      ? []
      : [
          {
            label: "Your spend, 14 days",
            value: ({ id }: HubModel) => spend.get(id) ?? 0n,
            draw: ({ id }: HubModel) => <Money nano={spend.get(id) ?? 0n} />,
          },
        ]),
    {
      label: "Unsupported parameters",
      value: ({ unsupportedParams }) => unsupportedParams.join(),
      draw: ({ unsupportedParams }) =>
        unsupportedParams.length === 0 ? (
          <span className="text-muted">None</span>
        ) : (
          <span className="line-clamp-2 font-mono text-meta wrap-anywhere" title={unsupportedParams.join(", ")}>
            {unsupportedParams.join(", ")}
          </span>
        ),
    },
    {
      label: "Cost per month",
      isSum: true,
      value: ({ pricing }) => monthlyCost(pricing, workload),
      wanted: "low",
      draw: ({ pricing }) => <Money nano={monthlyCost(pricing, workload)} />,
    },
  ];
}

function priceText(nano: bigint | null, { pricing }: HubModel): ReactNode {
  if (nano !== null) return <span title={formatExactMoney(nano)}>{formatPerMillion(nano)}</span>;
  return pricing.inputPerMillionTokens === null ? <span className="text-muted">Unpriced</span> : "–";
}

const durationText = (ms: number | null): string => (ms === null ? "–" : formatDuration(ms));
