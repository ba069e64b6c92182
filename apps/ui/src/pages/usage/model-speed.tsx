import type { Operations } from "@tollgate/sdk/platform";
import type { ReactNode } from "react";
import { type Bar, BarList } from "../../charts/bar-list.tsx";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import type { ColorOf } from "../../charts/series-colors.ts";

type Entry = Operations["getPerformance"]["answer"]["performance"][number];

interface ModelSpeedProps {
  readonly title: string;
  /** Measurement period, such as `last 24 hours`. */
  readonly over: string;
  readonly entries: readonly Entry[];
  readonly valueOf: (entry: Entry) => number | null;
  readonly format: (value: number) => string;
  readonly best: "lowest" | "highest";
  readonly colorOf: ColorOf;
  readonly none: string;
  readonly fileName: string;
  readonly actions?: ReactNode;
}

const SHOWN = 7;

/** Speed of each model, best first. There is no trend because per-request speeds aren't aggregated over time. */
export function ModelSpeed(props: ModelSpeedProps) {
  const { title, entries, format, best, colorOf } = props;
  const bars = entries
    .flatMap((entry): Bar[] => {
      const value = props.valueOf(entry);
      const { model, provider } = entry;
      const isAlone = entries.every((other) => other === entry || other.model !== model);
      const label = isAlone || provider === null ? model : `${model} (${provider})`;
      return value === null ? [] : [{ key: `${model} ${provider}`, label, value, color: colorOf(model) }];
    })
    .toSorted((one, other) => (best === "lowest" ? one.value - other.value : other.value - one.value));
  const about = `by model, ${props.over}`;
  const table = { head: ["Model", title], rows: bars.map(({ label, value }) => [label, format(value)]) };
  return (
    <ChartFrame
      title={title}
      {...(props.actions === undefined && { note: about })}
      summary={
        bars.length === 0
          ? props.none
          : `${title}: ${bars.map(({ label, value }) => `${label} ${format(value)}`).join(", ")}`
      }
      table={table}
      csv={{ ...table, rows: bars.map(({ label, value }) => [label, String(value)]) }}
      fileName={props.fileName}
      isCompact
      actions={props.actions}
    >
      {bars.length === 0 ? (
        <p className="py-4 text-table text-muted">{props.none}</p>
      ) : (
        <BarList bars={bars.slice(0, SHOWN)} format={format} />
      )}
      <p className="mt-2 text-meta text-muted">
        {[props.actions !== undefined && about, bars.length > SHOWN && `${bars.length - SHOWN} more in the table view`]
          .filter(Boolean)
          .join(", ")}
      </p>
    </ChartFrame>
  );
}
