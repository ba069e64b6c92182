import type { ReactNode } from "react";
import { classes } from "./classes.ts";

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onValue: (value: Value) => void;
}

/** Control with two to six short options, one of which is selected. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  return (
    <fieldset className="inline-flex max-w-full overflow-x-auto p-[2px] gap-[2px] rounded-control bg-sunken inset-ring inset-ring-border">
      <legend className="sr-only">{props.label}</legend>
      {props.options.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onValue(value)}
          className={classes(
            "h-[26px] max-sm:h-10 px-[10px] rounded-[4px] text-meta font-medium whitespace-nowrap",
            "focus-visible:-outline-offset-2",
            value === props.value ? "bg-surface text-text ring ring-border" : "text-muted hover:text-text",
          )}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
