import { useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, type MouseEvent, type ReactNode, type RefObject } from "react";
import { Checkbox } from "./checkbox.tsx";
import { classes } from "./classes.ts";
import type { DataTableProps } from "./data-table-props.ts";
import { useRowHeight } from "./density.ts";

type RowsProps<Row> = DataTableProps<Row> & {
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Key of the row in the tab order: the open row, or the first row. */
  readonly tabKey: string;
};

/** Table body with all rows, or with only the visible rows. */
export function TableRows<Row>(props: RowsProps<Row>) {
  if (props.virtual) return <VirtualRows {...props} />;
  return (
    <tbody className={BODY}>
      {props.rows.map((row, index) => (
        <TableRow key={props.rowKey(row)} {...props} row={row} index={index} />
      ))}
    </tbody>
  );
}

function VirtualRows<Row>(props: RowsProps<Row>) {
  const height = useRowHeight(props.density ?? "default");
  const virtualizer = useVirtualizer({
    count: props.rows.length,
    getScrollElement: () => props.frame.current,
    estimateSize: () => height.pixels,
    getItemKey: (index) => props.rowKey(props.rows[index] as Row),
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return (
    <tbody className={BODY}>
      <Spacer height={first?.start ?? 0} />
      {items.map(({ index, key }) => (
        <TableRow
          key={String(key)}
          {...props}
          row={props.rows[index] as Row}
          index={index}
          measure={virtualizer.measureElement}
        />
      ))}
      <Spacer height={virtualizer.getTotalSize() - (last?.end ?? 0)} />
    </tbody>
  );
}

function Spacer(props: { readonly height: number }) {
  if (props.height <= 0) return null;
  return (
    <tr aria-hidden>
      <td style={{ height: props.height }} />
    </tr>
  );
}

interface RowProps<Row> extends RowsProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly measure?: (element: HTMLTableRowElement | null) => void;
}

function TableRow<Row>(props: RowProps<Row>) {
  const { row, index, columns, selection, openKey, onOpen } = props;
  const key = props.rowKey(row);
  const isOpen = openKey !== undefined && openKey === key;
  const height = useRowHeight(props.density ?? "default");
  const isChosen = selection?.keys.includes(key) === true;
  const unfolded: ReactNode = props.expanded?.(row) ?? null;
  const cell = classes(
    "px-[9px] first:pl-4 last:pr-4 border-b border-hairline whitespace-nowrap group-focus-visible/row:bg-hover",
    height.className,
    isOpen || isChosen ? "bg-selected" : "bg-surface group-hover/row:bg-hover",
  );
  return (
    <Fragment>
      <tr
        ref={props.measure}
        data-index={index}
        data-row={key}
        aria-current={isOpen ? "true" : undefined}
        // One row is in the tab order. The arrow keys, j, and k move the focus to other rows.
        tabIndex={onOpen ? (key === props.tabKey ? 0 : -1) : undefined}
        onClick={onOpen ? (event) => isPlainClick(event) && onOpen(row) : undefined}
        className={classes("group/row", onOpen && "cursor-pointer focus-visible:-outline-offset-2")}
      >
        {selection ? (
          <td className={classes(cell, isOpen && OPEN)}>
            <Checkbox
              label="Select row"
              isLabelHidden
              checked={isChosen}
              onValue={(on) =>
                selection.onChange(on ? [...selection.keys, key] : selection.keys.filter((other) => other !== key))
              }
            />
          </td>
        ) : null}
        {columns.map(({ id, align, className, cell: draw }, place) => (
          <td
            key={id}
            className={classes(
              cell,
              align === "right" && "text-right",
              place === 0 && "sticky left-0 z-[1]",
              place === 0 && isOpen && !selection && OPEN,
              className,
            )}
          >
            {draw(row)}
          </td>
        ))}
      </tr>
      {unfolded === null ? null : (
        <tr>
          <td colSpan={columns.length + (selection ? 1 : 0)} className="border-b border-hairline bg-sunken p-0">
            {unfolded}
          </td>
        </tr>
      )}
    </Fragment>
  );
}

// Ignores clicks on controls inside the row and text selection by dragging.
function isPlainClick(event: MouseEvent<HTMLElement>): boolean {
  const control = (event.target as Element).closest("a, button, input, label, [role=checkbox], [role=menu]");
  if (control !== null && event.currentTarget.contains(control)) return false;
  return event.currentTarget.contains(event.target as Element) && (getSelection()?.isCollapsed ?? true);
}

const OPEN = "shadow-[inset_2px_0_0_var(--color-accent)]";
const BODY = "[&>tr:last-child>td]:border-b-0";
