import type { ChartTable } from "./csv.ts";

/** Table of the values behind a chart. It scrolls within its frame, and the first column is sticky. */
export function FigureTable({ label, table }: { readonly label: string; readonly table: ChartTable }) {
  const edge = "sticky left-0 bg-surface pr-3 text-left whitespace-nowrap";
  const cell = "px-2 text-right whitespace-nowrap";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="relative max-h-96 overflow-auto" tabIndex={0} aria-label={`${label}, as a table`}>
      <table className="w-full border-collapse text-meta">
        <thead className="sticky top-0 z-10 bg-surface text-muted">
          <tr className="h-8 border-b border-border">
            {table.head.map((text, index) => (
              <th key={text} scope="col" className={`font-medium ${index === 0 ? edge : cell}`}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row[0]} className="h-[30px] border-b border-hairline">
              {row.map((text, index) =>
                index === 0 ? (
                  <th key={table.head[index]} scope="row" className={`font-normal ${edge}`}>
                    {text}
                  </th>
                ) : (
                  <td key={table.head[index]} className={cell}>
                    {text}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {table.foot !== undefined && (
          <tfoot className="font-semibold">
            <tr className="h-[30px]">
              {table.foot.map((text, index) => (
                <td key={table.head[index]} className={index === 0 ? edge : cell}>
                  {text}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}
