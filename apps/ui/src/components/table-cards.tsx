import { useId } from "react";
import { Checkbox } from "./checkbox.tsx";
import { classes } from "./classes.ts";
import type { DataTableProps } from "./data-table-props.ts";

/** Rows as two-line cards, so that nothing scrolls sideways. */
export function TableCards<Row>(props: DataTableProps<Row>) {
  return (
    <ul aria-label={props.label}>
      {props.rows.map((row) => (
        <Card key={props.rowKey(row)} {...props} row={row} />
      ))}
    </ul>
  );
}

function Card<Row>(props: DataTableProps<Row> & { readonly row: Row }) {
  const { row, selection, onOpen } = props;
  const key = props.rowKey(row);
  const contentId = useId();
  return (
    <li
      className={classes(
        "relative flex items-start gap-3 min-h-11 px-4 py-3 border-b border-hairline last:border-b-0",
        props.virtual && "[content-visibility:auto] [contain-intrinsic-size:auto_68px]",
        props.openKey === key && "bg-selected",
      )}
    >
      {onOpen ? (
        // The button is placed under the content, so that controls in the card receive their own clicks.
        <button
          type="button"
          aria-labelledby={contentId}
          onClick={() => onOpen(row)}
          className="absolute inset-0 focus-visible:-outline-offset-2"
        />
      ) : null}
      {selection ? (
        <span className="relative">
          <Checkbox
            label="Select"
            isLabelHidden
            checked={selection.keys.includes(key)}
            onValue={(on) =>
              selection.onChange(on ? [...selection.keys, key] : selection.keys.filter((other) => other !== key))
            }
          />
        </span>
      ) : null}
      <div className="relative grow min-w-0 pointer-events-none [&_:is(a,button,input,label)]:pointer-events-auto">
        <div id={contentId} className="grid grid-cols-[minmax(0,1fr)] gap-1">
          {props.card(row)}
        </div>
        {props.expanded?.(row) ?? null}
      </div>
    </li>
  );
}
