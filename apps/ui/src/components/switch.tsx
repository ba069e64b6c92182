import { Switch as Base } from "@base-ui/react/switch";
import { type ReactNode, useId } from "react";
import { classes } from "./classes.ts";
import { FOCUS } from "./control-styles.ts";

interface SwitchProps {
  readonly label: ReactNode;
  readonly isLabelHidden?: boolean;
  readonly checked: boolean;
  readonly onValue: (checked: boolean) => void;
}

/** Switch that takes effect immediately. */
export function Switch(props: SwitchProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="inline-flex items-center gap-2 text-table text-muted">
      <Base.Root
        id={id}
        checked={props.checked}
        onCheckedChange={(checked) => props.onValue(checked)}
        className={classes(
          "relative w-7 h-4 flex-none rounded-full bg-outline data-[checked]:bg-accent",
          "after:absolute after:-inset-1 pointer-coarse:after:-inset-[14px]",
          FOCUS,
        )}
      >
        <Base.Thumb
          className={classes(
            "block size-3 m-[2px] rounded-full bg-surface data-[checked]:translate-x-3",
            "motion-safe:transition-transform motion-safe:duration-[120ms]",
          )}
        />
      </Base.Root>
      <span className={props.isLabelHidden ? "sr-only" : undefined}>{props.label}</span>
    </label>
  );
}
