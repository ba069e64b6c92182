import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { classes } from "./classes.ts";
import { INPUT } from "./control-styles.ts";
import { useField } from "./field.tsx";

/** Single-line text input. */
export function TextInput(props: ComponentProps<"input"> & { readonly mono?: boolean }) {
  const { mono, className, ...rest } = props;
  return (
    <input
      type="text"
      autoComplete="off"
      {...useField()}
      {...rest}
      className={classes(INPUT, mono && "font-mono text-table", className)}
    />
  );
}

/** Multiline text input that grows with its content, up to its `max-h`. */
export function TextArea(props: ComponentProps<"textarea"> & { readonly mono?: boolean }) {
  const { mono, className, ...rest } = props;
  return (
    <textarea
      rows={3}
      {...useField()}
      {...rest}
      className={classes(
        INPUT,
        "h-auto max-sm:h-auto min-h-20 max-h-[50vh] py-[6px] field-sizing-content",
        mono && "font-mono text-table",
        className,
      )}
    />
  );
}

/** Integer input. The value is text until it is parsed. A text input also allows placeholders such as "inherits 60". */
export function NumberInput(props: ComponentProps<"input">) {
  return <TextInput inputMode="numeric" pattern="[0-9]*" {...props} />;
}

type MoneyInputProps = Omit<ComponentProps<"input">, "value" | "onChange"> & {
  /** Dollars as typed. Parsed with the SDK's `parseUsd`, never as a floating-point number. */
  readonly value?: string;
  readonly onValue?: (value: string) => void;
  readonly onChange?: ComponentProps<"input">["onChange"];
};

/** Dollar amount input. */
export function MoneyInput(props: MoneyInputProps) {
  const { onValue, onChange, className, ...rest } = props;
  return (
    <span className="relative block min-w-0">
      <span aria-hidden className="absolute left-[10px] inset-y-0 grid place-items-center text-muted text-body">
        $
      </span>
      <TextInput
        inputMode="decimal"
        {...rest}
        onChange={(event) => {
          onChange?.(event);
          onValue?.(event.currentTarget.value);
        }}
        className={classes("pl-6", className)}
      />
    </span>
  );
}

/** Password input with a button to show the password. */
export function PasswordInput(props: ComponentProps<"input">) {
  const [isShown, setIsShown] = useState(false);
  const Glyph = isShown ? EyeOff : Eye;
  return (
    <span className="relative block min-w-0">
      <TextInput autoComplete="current-password" {...props} type={isShown ? "text" : "password"} className="pr-10" />
      <button
        type="button"
        aria-label={isShown ? "Hide password" : "Show password"}
        aria-pressed={isShown}
        onClick={() => setIsShown(!isShown)}
        className="absolute right-1 inset-y-1 w-8 grid place-items-center rounded-[4px] text-muted hover:text-text"
      >
        <Glyph size={16} strokeWidth={1.5} aria-hidden />
      </button>
    </span>
  );
}
