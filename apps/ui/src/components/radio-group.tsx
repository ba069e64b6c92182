import { Radio } from "@base-ui/react/radio";
import { RadioGroup as Base } from "@base-ui/react/radio-group";
import { type ReactNode, useId } from "react";
import { classes } from "./classes.ts";
import { FOCUS } from "./control-styles.ts";

interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly note?: ReactNode;
  /** Content for this option, shown while it is selected. */
  readonly children?: ReactNode;
}

interface RadioGroupProps<Value extends string> {
  readonly label: ReactNode;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  readonly options: readonly RadioOption<Value>[];
}

/** Radio buttons for a few options, each with a description. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const labelId = useId();
  return (
    <div className="grid gap-[6px]">
      <div id={labelId} className="text-table font-medium">
        {props.label}
      </div>
      <Base
        aria-labelledby={labelId}
        value={props.value}
        onValueChange={(value) => props.onValue(value as Value)}
        className="rounded-control border border-border divide-y divide-hairline overflow-clip"
      >
        {props.options.map((option) => (
          <Choice key={option.value} option={option} isChosen={option.value === props.value} />
        ))}
      </Base>
    </div>
  );
}

function Choice<Value extends string>(props: { readonly option: RadioOption<Value>; readonly isChosen: boolean }) {
  const { option, isChosen } = props;
  const id = useId();
  return (
    <div className={isChosen ? "bg-selected" : undefined}>
      <label
        htmlFor={id}
        className="flex flex-wrap items-center gap-x-3 min-h-[38px] max-sm:min-h-11 px-3 py-1 cursor-pointer text-table"
      >
        <Radio.Root
          id={id}
          value={option.value}
          className={classes(
            "size-4 flex-none grid place-items-center rounded-full border-[1.5px] border-outline bg-surface",
            "data-[checked]:border-accent",
            FOCUS,
          )}
        >
          <Radio.Indicator className="size-2 rounded-full bg-accent" />
        </Radio.Root>
        <span className={isChosen ? "font-medium" : undefined}>{option.label}</span>
        {option.note ? <span className="ml-auto text-meta text-muted">{option.note}</span> : null}
      </label>
      {isChosen && option.children ? <div className="pl-10 pr-3 pb-3">{option.children}</div> : null}
    </div>
  );
}
