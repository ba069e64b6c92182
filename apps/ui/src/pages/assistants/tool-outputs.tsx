import { type FormEvent, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import type { ToolCall } from "./assistant-objects.ts";

interface ToolOutputsProps {
  readonly calls: readonly ToolCall[];
  readonly isBusy: boolean;
  readonly onSubmit: (outputs: readonly { readonly tool_call_id: string; readonly output: string }[]) => void;
}

/** Form for entering the function outputs that the run is waiting for. */
export function ToolOutputs({ calls, isBusy, onSubmit }: ToolOutputsProps) {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(calls.map(({ id }) => ({ tool_call_id: id, output: outputs[id] ?? "" })));
  };
  return (
    <form onSubmit={submit} className="grid gap-3 rounded-control border border-warning-line bg-warning-soft p-3">
      <p className="text-table">The run is waiting for the output of the functions below.</p>
      {calls.map((call) => (
        <Field
          key={call.id}
          label={
            <span className="font-mono text-meta wrap-anywhere">
              {call.function?.name}({call.function?.arguments})
            </span>
          }
        >
          <TextArea
            mono
            rows={2}
            value={outputs[call.id] ?? ""}
            onChange={(event) => setOutputs({ ...outputs, [call.id]: event.target.value })}
          />
        </Field>
      ))}
      <div>
        <Button type="submit" variant="primary" busy={isBusy}>
          Submit and continue
        </Button>
      </div>
    </form>
  );
}
