import type { ColorOf } from "./series-colors.ts";
import type { Stack } from "./stack-series.ts";
import { Swatch } from "./swatch.tsx";

interface StackLegendProps {
  readonly stack: Stack;
  readonly colorOf: ColorOf;
  readonly format: (value: bigint) => string;
  /** Period of the total, such as `14 days`. Omit it if the page shows the total elsewhere. */
  readonly totalLabel?: string | undefined;
  readonly previousLabel?: string | undefined;
}

/** Legend as a table. The amounts add up to the chart's total. */
export function StackLegend({ stack, colorOf, format, totalLabel, previousLabel }: StackLegendProps) {
  return (
    <div className="min-w-0 text-meta">
      <table className="w-full border-collapse">
        <tbody>
          {stack.series.map(({ key, label, total }) => (
            <tr key={key}>
              <td className="w-4 py-1">
                <Swatch color={colorOf(key)} />
              </td>
              <th scope="row" className="max-w-0 truncate text-left font-normal" title={label}>
                {label}
              </th>
              <td className="w-px pl-3 text-right whitespace-nowrap">{format(total)}</td>
            </tr>
          ))}
        </tbody>
        {totalLabel !== undefined && (
          <tfoot>
            <tr className="font-semibold">
              <td className="border-t border-border" />
              <th scope="row" className="border-t border-border pt-1.5 text-left">
                {totalLabel}
              </th>
              <td className="border-t border-border pt-1.5 pl-3 text-right whitespace-nowrap">{format(stack.total)}</td>
            </tr>
          </tfoot>
        )}
      </table>
      {previousLabel !== undefined && (
        <p className="mt-3 flex items-center gap-1.5 text-muted">
          <span aria-hidden="true" className="h-0.5 w-3 bg-text" />
          {previousLabel}
        </p>
      )}
    </div>
  );
}

/** Legend in one line, for small charts. */
export function LegendRow({ entries }: { readonly entries: readonly { label: string; color: string }[] }) {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-3.5 gap-y-1 text-meta text-muted">
      {entries.map(({ label, color }) => (
        <li key={label} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <Swatch color={color} />
          {label}
        </li>
      ))}
    </ul>
  );
}
