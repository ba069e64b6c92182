import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

interface TabsProps<Value extends string> {
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  readonly tabs: readonly { readonly value: Value; readonly label: ReactNode; readonly count?: number }[];
  /** Content of the selected tab. */
  readonly children?: ReactNode;
}

/** Tabs for views of one object. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  return (
    <Base.Root
      value={props.value}
      onValueChange={(value) => props.onValue(value as Value)}
      className="grid gap-4 min-w-0"
    >
      <Base.List className="flex gap-5 border-b border-border overflow-x-auto overflow-y-clip">
        {props.tabs.map(({ value, label, count }) => (
          <Base.Tab
            key={value}
            value={value}
            className={
              "h-[30px] max-sm:h-11 -mb-px border-b-2 border-transparent text-table font-medium text-muted whitespace-nowrap " +
              "hover:text-text data-[active]:text-text data-[active]:border-accent focus-visible:-outline-offset-2"
            }
          >
            {label}
            {count === undefined ? null : (
              <span className="ml-1 font-normal text-faint">{count.toLocaleString("en-US")}</span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      {props.children === undefined ? null : (
        <Base.Panel value={props.value} className="grid grid-cols-[minmax(0,1fr)] gap-4 outline-none">
          {props.children}
        </Base.Panel>
      )}
    </Base.Root>
  );
}
