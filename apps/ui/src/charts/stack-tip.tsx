import type { ColorOf } from "./series-colors.ts";
import type { Stack } from "./stack-series.ts";
import { Swatch } from "./swatch.tsx";

interface StackTipProps {
  readonly stack: Stack;
  readonly index: number;
  readonly colorOf: ColorOf;
  readonly format: (value: bigint) => string;
  /** True if the column's period is still in progress. */
  readonly isOpen: boolean;
  readonly previous?: bigint | null | undefined;
  readonly previousLabel?: string | undefined;
}

/** Values of one bar in visual order: from the top down, total last. */
export function StackTip({ stack, index, colorOf, format, isOpen, previous, previousLabel }: StackTipProps) {
  const parts = stack.series.filter(({ values }) => (values[index] ?? 0n) > 0n).toReversed();
  return (
    <table className="border-collapse">
      <thead>
        <tr>
          <th colSpan={2} className="pb-1 text-left font-semibold">
            {stack.columns[index]?.long}
          </th>
          <td className="pb-1 pl-4 text-right text-muted">{isOpen ? "in progress" : ""}</td>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ key, label, values }) => (
          <tr key={key}>
            <td className="w-4 py-0.5">
              <Swatch color={colorOf(key)} />
            </td>
            <td className="max-w-44 truncate">{label}</td>
            <td className="pl-4 text-right">{format(values[index] ?? 0n)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="font-semibold">
          <td className="border-t border-border" />
          <td className="border-t border-border pt-1">Total</td>
          <td className="border-t border-border pt-1 pl-4 text-right">{format(stack.totals[index] ?? 0n)}</td>
        </tr>
        {previous !== undefined && previous !== null && (
          <tr className="text-muted">
            <td />
            <td>{previousLabel ?? "Previous"}</td>
            <td className="pl-4 text-right">{format(previous)}</td>
          </tr>
        )}
      </tfoot>
    </table>
  );
}
