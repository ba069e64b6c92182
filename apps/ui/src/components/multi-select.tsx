import { Combobox } from "@base-ui/react/combobox";
import { ChevronDown, X } from "lucide-react";
import { classes } from "./classes.ts";
import { INPUT } from "./control-styles.ts";
import { useField } from "./field.tsx";
import { OptionList } from "./search-select.tsx";
import type { Option } from "./select-face.tsx";

interface MultiSelectProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly options: readonly Option<Value>[];
  readonly onValues: (values: readonly Value[]) => void;
  readonly placeholder?: string;
}

/** Select with multiple values. Each selected value stays visible and has a button to remove it. */
export function MultiSelect<Value extends string>(props: MultiSelectProps<Value>) {
  const field = useField();
  const { values, onValues } = props;
  // Selected values that are no longer options are still shown so that the user can remove them.
  const known = new Map<string, Option<Value>>(props.options.map((option) => [option.value, option]));
  const chosen = values.map((value) => known.get(value) ?? { value, label: value });
  return (
    <div className="grid gap-2 min-w-0">
      <Combobox.Root
        multiple
        items={props.options}
        value={chosen}
        onValueChange={(next: readonly Option<Value>[]) => onValues(next.map(({ value }) => value))}
        itemToStringLabel={({ label }: Option<Value>) => label}
        isItemEqualToValue={(one: Option<Value>, other: Option<Value>) => one.value === other.value}
      >
        <Combobox.Trigger
          {...(field ?? { "aria-label": props.label })}
          className={classes(INPUT, "flex items-center gap-2 text-left cursor-pointer")}
        >
          <span className={classes("truncate", chosen.length === 0 && "text-faint")}>
            {chosen.length === 0 ? (props.placeholder ?? "Select") : `${chosen.length} selected`}
          </span>
          <ChevronDown size={16} strokeWidth={1.5} className="ml-auto flex-none" aria-hidden />
        </Combobox.Trigger>
        <OptionList label={props.label} />
      </Combobox.Root>
      {chosen.length === 0 ? null : (
        <ul className="flex flex-wrap gap-[6px]" aria-label={`${props.label}: selected`}>
          {chosen.map(({ value, label }) => (
            <li
              key={value}
              className="inline-flex items-center h-7 max-w-full pl-2 border border-border rounded-control bg-surface text-meta font-medium"
            >
              <span className="truncate">{label}</span>
              <button
                type="button"
                aria-label={`Remove ${label}`}
                onClick={() => onValues(values.filter((other) => other !== value))}
                className="grid place-items-center size-6 text-faint hover:text-text rounded-[4px]"
              >
                <X size={14} strokeWidth={1.5} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
