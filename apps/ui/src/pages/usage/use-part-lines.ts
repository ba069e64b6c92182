import type { ReactNode } from "react";
import { useCall } from "../../api/queries.ts";
import { describeError } from "../../components/describe-error.ts";
import { sumEntities } from "./sum-entities.ts";
import { shareOf, type TableLine } from "./usage-rows.ts";
import { type Dimension, groupingOf, type Measure, secondDimensions } from "./usage-view.ts";
import type { Names } from "./use-names.ts";
import type { Usage, UsageFilter } from "./use-usage.ts";

interface PartInput {
  readonly usage: Usage;
  readonly filter: UsageFilter;
  readonly names: Names;
  readonly measure: Measure;
  /** The expanded entity; empty if no entity is expanded. */
  readonly entity: string;
  readonly total: bigint;
}

/** Returns the breakdown of the expanded entity, loaded on expansion. */
export function usePartLines(input: PartInput): { readonly lines: readonly TableLine[]; readonly state: ReactNode } {
  const { usage, filter, names, measure, entity, total } = input;
  const { dimension } = usage;
  const second = secondDimensions[dimension];
  const isOpen = entity !== "" && second !== null;
  const parts = useCall(
    "getUsage",
    { query: { ...filter, ...narrowTo(dimension, entity), groupBy: [groupingOf[second ?? "model"]] } },
    { enabled: isOpen, staleMs: 30_000 },
  );
  if (!isOpen) return { lines: [], state: null };
  if (parts.isError) {
    return {
      lines: [],
      state: `Could not load the breakdown for ${names.nameOf(dimension, entity)}. ${describeError(parts.error).message}`,
    };
  }
  // Placeholder data belongs to the previously expanded entity.
  if (parts.data === undefined || parts.isPlaceholderData) return { lines: [], state: "Loading breakdown" };
  const lines = sumEntities(parts.data.data, (row) => names.entityOf(second, row), measure).map((sum) => ({
    id: sum.key,
    name: names.nameOf(second, sum.key),
    sum,
    share: shareOf(sum.value, total),
    course: null,
  }));
  return { lines, state: null };
}

function narrowTo(dimension: Dimension, entity: string): Partial<UsageFilter> {
  if (dimension === "model") return { model: [entity] };
  if (dimension === "provider") return { provider: [entity] };
  if (dimension === "team") return { teamId: [entity] };
  if (dimension === "key") return { apiKey: [entity] };
  const id = Number(entity);
  return Number.isInteger(id) ? { userId: [id] } : {};
}
