import { useRef } from "react";
import { classes } from "./classes.ts";
import type { DataTableProps } from "./data-table-props.ts";
import { useRowHeight } from "./density.ts";
import { TableCards } from "./table-cards.tsx";
import { TableHead } from "./table-head.tsx";
import { TableRows } from "./table-rows.tsx";
import { useFittingColumns } from "./use-fitting-columns.ts";
import { NARROW, useMedia } from "./use-media.ts";
import { useRowKeys } from "./use-row-keys.ts";

export type { Column } from "./table-column.ts";

/** Data table that is shown as cards on small screens. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useMedia(NARROW);
  if (props.rows.length === 0) return props.empty;
  return (
    <div className="min-w-0">
      {isNarrow ? <TableCards {...props} /> : <WideTable {...props} />}
      {props.footer ? (
        <div className="px-4 py-2 border-t border-hairline text-meta text-muted">{props.footer}</div>
      ) : null}
    </div>
  );
}

function WideTable<Row>(props: DataTableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const { columns, overflows } = useFittingColumns(frame, props.columns);
  const onKeyDown = useRowKeys(props, frame);
  const isRegion = overflows || props.virtual === true;
  return (
    // A scrollable region keeps its scrollbar in view and can be reached without a mouse.
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the rows inside, which have the focus.
    <div
      ref={frame}
      onKeyDown={onKeyDown}
      {...(isRegion ? { role: "region", "aria-label": props.label, tabIndex: 0 } : {})}
      className={classes(isRegion ? "overflow-auto max-h-[max(320px,calc(100dvh-220px))]" : "overflow-x-clip")}
    >
      <table aria-label={props.label} className="w-full border-separate border-spacing-0 text-table">
        <TableHead {...props} columns={columns} />
        <TableRows {...props} columns={columns} frame={frame} tabKey={tabKeyOf(props)} />
        {columns.some(({ footer }) => footer !== undefined) ? <Totals {...props} columns={columns} /> : null}
      </table>
    </div>
  );
}

function tabKeyOf<Row>({ rows, rowKey, openKey }: DataTableProps<Row>): string {
  const tabbed = rows.find((row) => rowKey(row) === openKey) ?? rows[0];
  return tabbed === undefined ? "" : rowKey(tabbed);
}

function Totals<Row>(props: DataTableProps<Row>) {
  const height = useRowHeight(props.density ?? "default");
  return (
    <tfoot className="font-semibold">
      <tr>
        {props.selection ? <td className="border-t border-border" /> : null}
        {props.columns.map(({ id, align, footer }) => (
          <td
            key={id}
            className={classes(
              "px-[9px] first:pl-4 last:pr-4 border-t border-border whitespace-nowrap",
              height.className,
              align === "right" && "text-right",
            )}
          >
            {footer}
          </td>
        ))}
      </tr>
    </tfoot>
  );
}
