import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export type DotShape = "ok" | "warning" | "bad" | "off";

/** Status as a shape with a label. The shapes (circle, diamond, square, and ring) are readable without color. */
export function StatusDot(props: { shape: DotShape; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-[6px] whitespace-nowrap">
      <span aria-hidden className={classes("size-2 flex-none", SHAPES[props.shape])} />
      {props.children}
    </span>
  );
}

const SHAPES = {
  ok: "rounded-full bg-success",
  warning: "rounded-[1px] bg-warning rotate-45 scale-[.85]",
  bad: "rounded-[1px] bg-danger",
  off: "rounded-full border-[1.5px] border-outline",
};
