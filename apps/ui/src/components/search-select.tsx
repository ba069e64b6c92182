import { Combobox } from "@base-ui/react/combobox";
import { Check } from "lucide-react";
import { classes } from "./classes.ts";
import { INPUT, POPUP, POPUP_ITEM, POPUP_LIST, POPUP_SEARCH } from "./control-styles.ts";
import { useField } from "./field.tsx";
import { type Option, SelectFace, type SelectProps } from "./select-face.tsx";

/** Select with many options and a search field. */
export function SearchSelect<Value extends string>(props: SelectProps<Value>) {
  const field = useField();
  const { options } = props;
  const chosen = options.find(({ value }) => value === props.value) ?? null;
  return (
    <Combobox.Root
      items={options}
      value={chosen}
      disabled={props.disabled === true}
      onValueChange={(option) => option && props.onValue(option.value)}
      itemToStringLabel={({ label }) => label}
      isItemEqualToValue={(one, other) => one.value === other.value}
    >
      <Combobox.Trigger
        {...(field ?? { "aria-label": props.label })}
        className={classes(INPUT, "flex items-center gap-2 text-left cursor-pointer", props.className)}
      >
        <SelectFace option={chosen} placeholder={props.placeholder} />
      </Combobox.Trigger>
      <OptionList label={props.label} />
    </Combobox.Root>
  );
}

/** Options list under its search field. */
export function OptionList(props: { readonly label: string }) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} align="start" className="z-50">
        <Combobox.Popup aria-label={props.label} className={classes(POPUP, "min-w-[max(180px,var(--anchor-width))]")}>
          <Combobox.Input placeholder="Search" aria-label={`Search ${props.label}`} className={POPUP_SEARCH} />
          <Combobox.Empty className="text-muted">
            <div className="px-3 py-2">No matches.</div>
          </Combobox.Empty>
          <Combobox.List aria-label={props.label} className={POPUP_LIST}>
            {(option: Option) => (
              <Combobox.Item key={option.value} value={option} className={POPUP_ITEM}>
                <span className="size-4 flex-none">
                  <Combobox.ItemIndicator>
                    <Check size={16} strokeWidth={1.75} className="text-accent" />
                  </Combobox.ItemIndicator>
                </span>
                <span className="truncate">{option.label}</span>
                {option.note ? <span className="ml-auto pl-3 text-meta text-muted">{option.note}</span> : null}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
