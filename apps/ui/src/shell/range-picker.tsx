import { Popover } from "@base-ui/react/popover";
import { Calendar, ChevronDown } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { TextInput } from "../components/inputs.tsx";
import { type Range, rangePresets } from "./range.ts";

interface RangePickerProps {
  readonly value: string;
  readonly range: Range;
  readonly zone: string;
  readonly onValue: (value: string) => void;
}

/** Selects the page's time range. The zone is shown because days depend on it. */
export function RangePicker({ value, range, zone, onValue }: RangePickerProps) {
  const [isOpen, setOpen] = useState(false);
  const choose = (next: string) => {
    onValue(next);
    setOpen(false);
  };
  const chooseDays = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    choose(`${String(form.get("from"))}..${String(form.get("until"))}`);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className="flex h-8 max-sm:h-11 items-center gap-2 rounded-control border border-outline-soft bg-surface px-2.5 text-table hover:bg-hover">
        <Calendar size={14} strokeWidth={1.5} aria-hidden />
        <span className="font-medium">{range.label}</span>
        <span className="text-muted">{zone}</span>
        <ChevronDown size={14} strokeWidth={1.5} aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-40">
          <Popover.Popup className="w-64 rounded-panel border border-border bg-raised p-2 shadow-float">
            <ul>
              {rangePresets.map(([name, label]) => (
                <li key={name}>
                  <button
                    type="button"
                    aria-pressed={name === value}
                    onClick={() => choose(name)}
                    className="w-full rounded-control px-2 py-1.5 text-left text-table hover:bg-hover aria-pressed:bg-selected aria-pressed:font-medium"
                  >
                    {label}
                  </button>
                </li>
              ))}
            </ul>
            <form onSubmit={chooseDays} className="mt-2 grid gap-2 border-t border-hairline p-2">
              <Field label="From">
                <TextInput type="date" name="from" required />
              </Field>
              <Field label="To (inclusive)">
                <TextInput type="date" name="until" required />
              </Field>
              <Button type="submit" size="sm">
                Apply
              </Button>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
