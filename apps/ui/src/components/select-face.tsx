import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  /** Shown beside the label, such as an owner, the last four characters, or an amount. Names alone can be ambiguous. */
  readonly note?: ReactNode;
}

export interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value | null;
  readonly options: readonly Option<Value>[];
  readonly onValue: (value: Value) => void;
  /** Shows a search field. Defaults to true for eight or more options. */
  readonly search?: boolean;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly className?: string;
}

/** Content of a closed select: the selected option or the placeholder. */
export function SelectFace(props: { readonly option: Option | null; readonly placeholder?: string | undefined }) {
  return (
    <>
      {/* The note is truncated before the name. */}
      <span className={classes("truncate shrink-[0.01]", props.option === null && "text-faint")}>
        {props.option?.label ?? props.placeholder ?? "Select"}
      </span>
      {props.option?.note ? (
        <span className="hidden min-w-0 truncate text-meta text-muted sm:inline">{props.option.note}</span>
      ) : null}
      <ChevronDown size={16} strokeWidth={1.5} className="ml-auto flex-none" aria-hidden />
    </>
  );
}
