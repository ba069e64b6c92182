import { ArrowDown, ArrowUp } from "lucide-react";
import { Checkbox } from "./checkbox.tsx";
import { classes } from "./classes.ts";
import type { DataTableProps } from "./data-table-props.ts";
import { type Column, nextSort } from "./table-column.ts";

/** Sticky table header with the current sort order. */
export function TableHead<Row>(props: DataTableProps<Row>) {
  const { selection, rows, rowKey } = props;
  const chosen = new Set(selection?.keys);
  const count = rows.filter((row) => chosen.has(rowKey(row))).length;
  return (
    <thead className="sticky top-[var(--sticky-top,0px)] z-[2] [[role=region]_&]:top-0">
      <tr>
        {selection ? (
          <th scope="col" className={classes(HEADING, "w-10")}>
            <Checkbox
              label="Select all rows"
              isLabelHidden
              checked={count > 0 && count === rows.length}
              indeterminate={count > 0 && count < rows.length}
              onValue={(all) => selection.onChange(all ? rows.map(rowKey) : [])}
            />
          </th>
        ) : null}
        {props.columns.map((column, index) => (
          <Heading key={column.id} {...props} column={column} isPinned={index === 0} />
        ))}
      </tr>
    </thead>
  );
}

function Heading<Row>(props: DataTableProps<Row> & { readonly column: Column<Row>; readonly isPinned: boolean }) {
  const { column, sort, onSort } = props;
  const { sort: name, align } = column;
  const isSorted = name !== undefined && (sort === name || sort === `-${name}`);
  const isDescending = sort === `-${name}`;
  const Arrow = isDescending ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
      style={column.width ? { width: column.width } : undefined}
      className={classes(
        HEADING,
        align === "right" ? "text-right" : "text-left",
        props.isPinned && "sticky left-0 z-[1]",
      )}
    >
      {name !== undefined && onSort ? (
        <button
          type="button"
          onClick={() => onSort(nextSort(sort, name))}
          className={classes(
            "inline-flex items-center gap-1 h-6 rounded-[4px] font-medium hover:text-text",
            isSorted && "text-text",
          )}
        >
          {column.header}
          {isSorted ? <Arrow size={12} aria-hidden /> : null}
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

const HEADING =
  "h-8 px-[9px] first:pl-4 last:pr-4 text-meta font-medium text-muted bg-surface " +
  "border-b border-border whitespace-nowrap";
