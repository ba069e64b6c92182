import { classes } from "./classes.ts";
import { FOCUS } from "./control-styles.ts";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md" | "lg";

/** Returns the CSS classes for buttons and for links that look like buttons. */
export function buttonClass(variant: ButtonVariant, size: ButtonSize, isIconOnly = false): string {
  return classes(
    "inline-flex items-center justify-center gap-[6px] rounded-control border font-medium whitespace-nowrap select-none",
    "no-underline hover:no-underline motion-safe:transition-colors motion-safe:duration-[120ms] cursor-pointer",
    "aria-disabled:cursor-not-allowed disabled:cursor-not-allowed [&_svg]:shrink-0",
    FOCUS,
    SIZES[size],
    isIconOnly ? SQUARE[size] : PADDING[size],
    VARIANTS[variant],
    variant === "ghost" ? FADED_GHOST : FADED,
  );
}

const SIZES = {
  sm: "h-[26px] max-sm:h-9 text-meta",
  md: "h-8 max-sm:h-11 text-table",
  lg: "h-10 max-sm:h-11 text-body",
};

const PADDING = { sm: "px-2 max-sm:px-3", md: "px-3", lg: "px-4" };

const SQUARE = { sm: "w-[26px] max-sm:w-9", md: "w-8 max-sm:w-11", lg: "w-10 max-sm:w-11" };

const VARIANTS = {
  primary: "bg-accent border-accent text-on-accent hover:bg-accent-hover hover:border-accent-hover",
  secondary: "bg-surface border-outline-soft text-text hover:bg-hover",
  ghost: "bg-transparent border-transparent text-muted hover:text-text hover:bg-hover",
  danger: "bg-surface border-outline-soft text-danger hover:bg-danger-soft",
};

const FADED =
  "disabled:bg-sunken disabled:border-border disabled:text-faint aria-disabled:bg-sunken aria-disabled:border-border " +
  "aria-disabled:text-faint";

const FADED_GHOST = "disabled:text-faint disabled:bg-transparent aria-disabled:text-faint aria-disabled:bg-transparent";
