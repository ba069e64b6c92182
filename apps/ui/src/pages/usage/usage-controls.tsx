import type { ReactNode } from "react";
import type { Filter } from "../../components/filter.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { NARROW, useMedia } from "../../components/use-media.ts";
import { type Dimension, dimensions, type Measure, measures } from "./usage-view.ts";

export type FilterNames = "model" | "provider" | "team" | "key" | "user";
export type FilterState = Readonly<Record<FilterNames, readonly string[]>>;

interface UsageControlsProps {
  readonly measure: Measure;
  readonly dimension: Dimension;
  readonly filters: readonly Filter<FilterNames>[];
  readonly values: FilterState;
  readonly onFilters: (change: Partial<FilterState>) => void;
  readonly onMeasure: (measure: Measure) => void;
  readonly onDimension: (dimension: Dimension) => void;
  readonly isCompared: boolean;
  /** Label of the previous period, such as `previous 14 days`. */
  readonly previousLabel: string;
  readonly onCompare: (isCompared: boolean) => void;
  /** Additional controls after the filters. */
  readonly children?: ReactNode;
}

/** Controls for the measure, the grouping, and the filters. */
export function UsageControls(props: UsageControlsProps) {
  const isNarrow = useMedia(NARROW);
  const measure = { label: "Measure", value: props.measure, options: measures, onValue: props.onMeasure };
  const group = { label: "Group by", value: props.dimension, options: dimensions, onValue: props.onDimension };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {isNarrow ? (
        <div className="grid w-full grid-cols-2 gap-2">
          <Select<Measure> {...measure} />
          <Select<Dimension> {...group} />
        </div>
      ) : (
        <>
          <span className="flex items-center gap-2 text-meta text-muted">
            <span aria-hidden>Measure</span> <Segmented<Measure> {...measure} />
          </span>
          <span className="flex items-center gap-2 text-meta text-muted">
            <span aria-hidden>Group by</span> <Segmented<Dimension> {...group} />
          </span>
        </>
      )}
      <FilterBar filters={props.filters} values={props.values} onChange={props.onFilters} alwaysShown={0}>
        {props.children}
      </FilterBar>
      <span className="sm:ml-auto">
        <Switch label={`Compare with ${props.previousLabel}`} checked={props.isCompared} onValue={props.onCompare} />
      </span>
    </div>
  );
}
