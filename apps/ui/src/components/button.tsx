import { createLink } from "@tanstack/react-router";
import { LoaderCircle } from "lucide-react";
import { type ComponentProps, type MouseEvent, type ReactNode, useId } from "react";
import { type ButtonSize, type ButtonVariant, buttonClass } from "./button-styles.ts";
import { classes } from "./classes.ts";
import { Tooltip } from "./tooltip.tsx";

interface Look {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: ReactNode;
}

type ButtonProps = ComponentProps<"button"> &
  Look & {
    readonly busy?: boolean;
    /**
     * Disables the button and explains why in a tooltip. The button stays focusable so that keyboard users can read the
     * tooltip.
     */
    readonly disabledReason?: string | null;
    /** Also shows the reason beside the button, where readers would otherwise wonder, and where nothing hovers. */
    readonly isReasonShown?: boolean;
  };

/** Button with a text label. */
export function Button(props: ButtonProps) {
  const {
    variant = "secondary",
    size = "md",
    icon,
    busy,
    disabledReason,
    isReasonShown,
    className,
    children,
    ...rest
  } = props;
  const reasonId = useId();
  const isBeside = isReasonShown === true && Boolean(disabledReason);
  const isHeld = busy === true || Boolean(disabledReason);
  const button = (
    <button
      type="button"
      {...rest}
      {...(isHeld ? { "aria-disabled": true, onClick: ignore } : {})}
      aria-busy={busy === true ? true : undefined}
      aria-describedby={isBeside ? reasonId : undefined}
      className={classes(buttonClass(variant, size), className)}
    >
      {busy === true ? <LoaderCircle size={14} className="motion-safe:animate-spin" aria-hidden /> : icon}
      {children}
      {disabledReason && !isBeside ? <span className="sr-only">. {disabledReason}</span> : null}
    </button>
  );
  if (isBeside) {
    return (
      <span className="inline-flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
        <span id={reasonId} className="text-meta text-muted">
          {disabledReason}
        </span>
        {button}
      </span>
    );
  }
  return disabledReason ? <Tooltip text={disabledReason}>{button}</Tooltip> : button;
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> &
  Look & { readonly label: string; readonly disabledReason?: string | null };

/** Button with an icon only. Its label is read by screen readers and shown in a tooltip. */
export function IconButton(props: IconButtonProps) {
  const { variant = "ghost", size = "md", icon, label, disabledReason, className, ...rest } = props;
  return (
    <Tooltip text={disabledReason ?? label}>
      <button
        type="button"
        aria-label={disabledReason ? `${label}. ${disabledReason}` : label}
        {...rest}
        {...(disabledReason ? { "aria-disabled": true, onClick: ignore } : {})}
        className={classes(buttonClass(variant, size, true), className)}
      >
        {icon}
      </button>
    </Tooltip>
  );
}

/** Link to a console page that looks like a button. */
export const ButtonLink = createLink(PlainButtonLink);

function PlainButtonLink(props: ComponentProps<"a"> & Look) {
  const { variant = "secondary", size = "md", icon, className, children, ...rest } = props;
  return (
    <a {...rest} className={classes(buttonClass(variant, size), className)}>
      {icon}
      {children}
    </a>
  );
}

// Prevents a busy or disabled button from submitting its form.
function ignore(event: MouseEvent): void {
  event.preventDefault();
}
