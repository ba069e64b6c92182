import { createContext, type ReactNode, useContext, useId } from "react";

/** IDs that link a control to its label, hint, and error. */
interface FieldIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly optional?: boolean;
  /** The console's inputs find their own label. Other controls receive the IDs. */
  readonly children: ReactNode | ((ids: FieldIds) => ReactNode);
}

/** Labeled control with a hint and, if the value is invalid, an error. */
export function Field(props: FieldProps) {
  const id = useId();
  const hasError = Boolean(props.error);
  const described = [props.hint ? `${id}-hint` : null, hasError ? `${id}-error` : null].filter(Boolean).join(" ");
  const ids: FieldIds = {
    id,
    "aria-describedby": described === "" ? undefined : described,
    "aria-invalid": hasError ? true : undefined,
  };
  return (
    <div className="grid gap-[6px] content-start min-w-0">
      <label htmlFor={id} className="text-table font-medium">
        {props.label}
        {props.optional ? <span className="text-faint font-normal"> (optional)</span> : null}
      </label>
      <FieldContext value={ids}>
        {typeof props.children === "function" ? props.children(ids) : props.children}
      </FieldContext>
      {props.hint ? (
        <div id={`${id}-hint`} className="text-meta text-muted">
          {props.hint}
        </div>
      ) : null}
      <div id={`${id}-error`} aria-live="polite" className={hasError ? "text-meta text-danger" : "sr-only"}>
        {props.error}
      </div>
    </div>
  );
}

/** Returns the IDs of the enclosing field; null if there is no enclosing field. */
export function useField(): FieldIds | null {
  return useContext(FieldContext);
}

const FieldContext = createContext<FieldIds | null>(null);
