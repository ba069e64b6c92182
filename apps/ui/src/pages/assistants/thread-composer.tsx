import { type FormEvent, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import { Select } from "../../components/select.tsx";
import type { Assistant } from "./assistant-objects.ts";

interface ThreadComposerProps {
  readonly assistants: readonly Assistant[];
  /** Assistant of the latest run. */
  readonly assistantId: string;
  readonly isBusy: boolean;
  /** Reason that no message can be sent now; null if a message can be sent. */
  readonly heldBy: string | null;
  /** Resolves to true if the message was accepted. */
  readonly onSend: (text: string, assistantId: string) => Promise<boolean>;
}

/** Input for the next message, with the assistant to run. */
export function ThreadComposer({ assistants, assistantId, isBusy, heldBy, onSend }: ThreadComposerProps) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const answering = chosen ?? (assistantId === "" ? (assistants[0]?.id ?? "") : assistantId);
  const problem =
    heldBy ?? (answering === "" ? "Create an assistant first" : text.trim() === "" ? "Enter a message" : null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null || isBusy) return;
    if (await onSend(text, answering)) setText("");
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-3 border-t border-border p-4">
      <Field label="Message">
        <TextArea value={text} onChange={(event) => setText(event.target.value)} maxLength={256_000} />
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        <span className="w-64 max-w-full">
          <Select
            label="Assistant"
            value={answering === "" ? null : answering}
            onValue={setChosen}
            placeholder="No assistant"
            options={assistants.map(({ id, name, model }) => ({ value: id, label: name ?? id, note: model }))}
          />
        </span>
        <Button type="submit" variant="primary" busy={isBusy} disabledReason={problem}>
          Send and run
        </Button>
      </div>
    </form>
  );
}
