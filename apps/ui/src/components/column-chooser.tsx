import { Popover } from "@base-ui/react/popover";
import { Columns3 } from "lucide-react";
import { Button } from "./button.tsx";
import { Checkbox } from "./checkbox.tsx";
import { classes } from "./classes.ts";
import { POPUP } from "./control-styles.ts";

interface ColumnChooserProps {
  /** Columns that can be hidden, by ID and heading. */
  readonly columns: readonly { readonly id: string; readonly label: string }[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Menu that chooses the visible columns of a table. The page stores the hidden columns in its URL. */
export function ColumnChooser(props: ColumnChooserProps) {
  const { hidden, onChange } = props;
  return (
    <Popover.Root>
      <Popover.Trigger
        render={<Button variant="ghost" size="sm" icon={<Columns3 size={14} strokeWidth={1.5} aria-hidden />} />}
      >
        Columns
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-40">
          <Popover.Popup aria-label="Columns" className={classes(POPUP, "grid gap-2 min-w-[180px] p-3")}>
            {props.columns.map(({ id, label }) => (
              <Checkbox
                key={id}
                label={label}
                checked={!hidden.includes(id)}
                onValue={(isShown) => onChange(isShown ? hidden.filter((other) => other !== id) : [...hidden, id])}
              />
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
