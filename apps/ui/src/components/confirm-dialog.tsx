import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { TextInput } from "./inputs.tsx";

interface ConfirmDialogProps {
  /** Title that names the object, such as "Delete key ci-bot". */
  readonly title: string;
  /** Description of the action's consequences, with counts. */
  readonly consequence: ReactNode;
  readonly confirmLabel: string;
  /** Text that the user must type first, for high-impact actions. */
  readonly typeToConfirm?: string | null;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly open: boolean;
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog title={props.title} open={props.open} onClose={props.onClose} width={460}>
      <ConfirmForm {...props} />
    </Dialog>
  );
}

// Mounted only while the dialog is open, so that text typed earlier doesn't remain.
function ConfirmForm(props: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const wanted = props.typeToConfirm ?? null;
  const isTyped = wanted === null || typed.trim() === wanted;
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTyped && !props.busy) props.onConfirm();
      }}
    >
      <div className="text-body">{props.consequence}</div>
      {wanted === null ? null : (
        <Field label={<>Type {<span className="font-mono wrap-anywhere">{wanted}</span>} to confirm</>}>
          <TextInput
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoFocus
            spellCheck={false}
          />
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="danger"
          busy={props.busy === true}
          disabledReason={isTyped ? null : "Type the text to confirm"}
        >
          {props.confirmLabel}
        </Button>
      </div>
    </form>
  );
}
