import { CSPProvider } from "@base-ui/react/csp-provider";
import { Select as Base } from "@base-ui/react/select";
import { Check } from "lucide-react";
import { classes } from "./classes.ts";
import { INPUT, POPUP, POPUP_ITEM, POPUP_LIST } from "./control-styles.ts";
import { useField } from "./field.tsx";
import { SearchSelect } from "./search-select.tsx";
import { SelectFace, type SelectProps } from "./select-face.tsx";

const SEARCH_FROM = 8;

/** Select with a drop-down list. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, search = options.length >= SEARCH_FROM } = props;
  return search ? <SearchSelect {...props} /> : <PlainSelect {...props} />;
}

function PlainSelect<Value extends string>(props: SelectProps<Value>) {
  const field = useField();
  const { options } = props;
  const chosen = options.find(({ value }) => value === props.value) ?? null;
  return (
    // The page's content security policy blocks the style element that the component adds for its unused scroll arrows.
    <CSPProvider disableStyleElements>
      <Base.Root
        items={options}
        value={props.value}
        disabled={props.disabled === true}
        onValueChange={(value) => value !== null && props.onValue(value)}
      >
        <Base.Trigger
          {...(field ?? { "aria-label": props.label })}
          className={classes(INPUT, "flex items-center gap-2 text-left cursor-pointer", props.className)}
        >
          <SelectFace option={chosen} placeholder={props.placeholder} />
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner sideOffset={4} align="start" alignItemWithTrigger={false} className="z-50">
            <Base.Popup className={classes(POPUP, "min-w-[max(180px,var(--anchor-width))]")}>
              <Base.List aria-label={props.label} className={POPUP_LIST}>
                {options.map((option) => (
                  <Base.Item key={option.value} value={option.value} label={option.label} className={POPUP_ITEM}>
                    <span className="size-4 flex-none">
                      <Base.ItemIndicator>
                        <Check size={16} strokeWidth={1.75} className="text-accent" />
                      </Base.ItemIndicator>
                    </span>
                    <Base.ItemText className="truncate">{option.label}</Base.ItemText>
                    {option.note ? <span className="ml-auto pl-3 text-meta text-muted">{option.note}</span> : null}
                  </Base.Item>
                ))}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  );
}
