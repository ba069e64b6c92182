import { Checkbox as Base } from "@base-ui/react/checkbox";
import { Check, Minus } from "lucide-react";
import { type ReactNode, useId } from "react";
import { classes } from "./classes.ts";

interface CheckboxProps {
  readonly label: ReactNode;
  /** Shows the label only to screen readers, for checkboxes whose purpose is visible from the context. */
  readonly isLabelHidden?: boolean;
  readonly note?: ReactNode;
  readonly checked: boolean;
  readonly indeterminate?: boolean;
  readonly onValue: (checked: boolean) => void;
}

/** Checkbox for one independent option. */
export function Checkbox(props: CheckboxProps) {
  const id = useId();
  return (
    <label htmlFor={id} className={classes("inline-flex gap-2 align-middle text-table", !props.note && "items-center")}>
      <Base.Root
        id={id}
        checked={props.checked}
        indeterminate={props.indeterminate === true}
        onCheckedChange={(checked) => props.onValue(checked)}
        // The mark is 16 px wide. The click target is 24 px wide, or 44 px on touch screens.
        className={classes(
          "group/check relative size-6 -m-1 flex-none grid place-items-center rounded-[6px]",
          "pointer-coarse:after:absolute pointer-coarse:after:-inset-[10px]",
          "focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent",
          props.note ? "-mt-[2px]" : null,
        )}
      >
        <span
          className={classes(
            "size-4 grid place-items-center rounded-[4px] border-[1.5px] border-outline bg-surface text-on-accent",
            "group-data-[checked]/check:bg-accent group-data-[checked]/check:border-accent",
            "group-data-[indeterminate]/check:bg-accent group-data-[indeterminate]/check:border-accent",
          )}
        >
          <Base.Indicator className="grid place-items-center">
            {props.indeterminate ? <Minus size={12} strokeWidth={2.25} /> : <Check size={12} strokeWidth={2.25} />}
          </Base.Indicator>
        </span>
      </Base.Root>
      <span className={props.isLabelHidden ? "sr-only" : undefined}>
        {props.label}
        {props.note ? <span className="block text-meta text-muted">{props.note}</span> : null}
      </span>
    </label>
  );
}
