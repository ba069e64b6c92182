import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";
import { classes } from "./classes.ts";

interface NoticeProps {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** Message about the content around it. Errors are announced to screen readers immediately. */
export function Notice(props: NoticeProps) {
  const { tone = "info" } = props;
  const Glyph = GLYPHS[tone];
  return (
    <div
      role={tone === "danger" ? "alert" : "status"}
      className={classes("flex items-start gap-[10px] px-3 py-[10px] rounded-control border text-table", TONES[tone])}
    >
      <Glyph size={16} strokeWidth={1.5} aria-hidden className={classes("mt-[2px] flex-none", GLYPH_TONES[tone])} />
      <div className="min-w-0 grow wrap-anywhere">
        {props.title ? <strong className="font-semibold">{props.title} </strong> : null}
        {props.children}
      </div>
      {props.action ? <div className="flex-none -my-[3px]">{props.action}</div> : null}
    </div>
  );
}

const GLYPHS = { neutral: Info, success: CircleCheck, warning: CircleAlert, danger: TriangleAlert, info: Info };

const TONES = {
  neutral: "bg-sunken border-border",
  success: "bg-success-soft border-transparent",
  warning: "bg-warning-soft border-warning-line",
  danger: "bg-danger-soft border-danger-line",
  info: "bg-info-soft border-transparent",
};

const GLYPH_TONES = {
  neutral: "text-muted",
  success: "text-success",
  warning: "text-warning",
  danger: "text-danger",
  info: "text-info",
};
