import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";
import { classes } from "./classes.ts";
import { POPUP } from "./control-styles.ts";

/** Short text beside an element on hover or focus. The element must make sense without the tooltip. */
export function Tooltip(props: { text: ReactNode; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger delay={300} render={props.children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className={classes(POPUP, "px-[10px] py-2 text-meta max-w-[320px]")}>{props.text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
