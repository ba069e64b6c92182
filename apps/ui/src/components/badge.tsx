import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export type Tone = "neutral" | "success" | "warning" | "danger" | "info";

/** Filled label. Only exceptional states have a badge. */
export function Badge(props: { tone?: Tone; icon?: ReactNode; mono?: boolean; children: ReactNode }) {
  return (
    <span
      className={classes(
        "inline-flex items-center gap-[5px] h-5 px-[7px] rounded-[4px] text-meta font-medium whitespace-nowrap",
        "[&_svg]:size-3",
        props.mono && "font-mono font-normal",
        TONES[props.tone ?? "neutral"],
      )}
    >
      {props.icon}
      {props.children}
    </span>
  );
}

const TONES = {
  neutral: "bg-sunken text-muted inset-ring inset-ring-border",
  success: "bg-success-soft text-success",
  warning: "bg-warning-soft text-warning",
  danger: "bg-danger-soft text-danger",
  info: "bg-info-soft text-info",
};
