import { Popover } from "@base-ui/react/popover";
import { ChevronDown, X } from "lucide-react";
import { useState } from "react";
import { classes } from "./classes.ts";
import { POPUP } from "./control-styles.ts";
import { describeFilter, type Filter, type FilterValues, FLAG_ON, isFilterSet } from "./filter.ts";
import { FilterEditor } from "./filter-editor.tsx";

interface FilterChipProps {
  readonly filter: Filter;
  readonly values: FilterValues;
  readonly isOpenAtFirst: boolean;
  readonly onChange: (value: string | readonly string[]) => void;
  readonly onClear: () => void;
}

/** A filter with its value. Clicking the chip opens the editor, and its clear button clears the filter. */
export function FilterChip(props: FilterChipProps) {
  const { filter, values } = props;
  const isSet = isFilterSet(values, filter);
  if (filter.kind === "flag") {
    return (
      <span className={CHIP}>
        <button
          type="button"
          aria-pressed={isSet}
          onClick={() => props.onChange(isSet ? "" : FLAG_ON)}
          className={PART}
        >
          <span className={isSet ? "font-medium text-text" : undefined}>{filter.label}</span>
        </button>
        {isSet ? <ClearButton {...props} /> : null}
      </span>
    );
  }
  return (
    <span className={CHIP}>
      <ChipPopover {...props} isSet={isSet} />
      {isSet ? <ClearButton {...props} /> : null}
    </span>
  );
}

function ChipPopover(props: FilterChipProps & { readonly isSet: boolean }) {
  const { filter, values } = props;
  const [isOpen, setIsOpen] = useState(props.isOpenAtFirst);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger className={PART}>
        {filter.label} <b className="font-medium text-text max-w-[200px] truncate">{describeFilter(values, filter)}</b>
        {props.isSet ? null : <ChevronDown size={14} strokeWidth={1.5} className="text-faint" aria-hidden />}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-40">
          <Popover.Popup
            aria-label={filter.label}
            className={classes(POPUP, "w-[260px] max-h-[400px] overflow-y-auto p-3")}
          >
            <FilterEditor filter={filter} values={values} onChange={props.onChange} onDone={() => setIsOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ClearButton(props: FilterChipProps) {
  return (
    <button
      type="button"
      aria-label={`Remove filter ${props.filter.label}`}
      onClick={props.onClear}
      className="grid place-items-center w-6 h-full rounded-control text-faint hover:text-text"
    >
      <X size={14} strokeWidth={1.5} aria-hidden />
    </button>
  );
}

const CHIP =
  "inline-flex items-center h-7 border border-border rounded-control bg-surface text-meta text-muted whitespace-nowrap";
const PART = "inline-flex items-center gap-[6px] h-full px-2 rounded-control hover:text-text";
