import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea, TextInput } from "../../components/inputs.tsx";
import { ModelPicker } from "../../components/model-picker.tsx";
import { useToast } from "../../components/toast.tsx";
import type { Assistant } from "./assistant-objects.ts";
import { readTools } from "./read-tools.ts";
import { ToolList } from "./tool-list.tsx";

interface AssistantFormProps {
  readonly keyId: string;
  /** Assistant to edit; null to create an assistant. */
  readonly assistant: Assistant | null;
  readonly onClose: () => void;
  readonly onSaved: (assistant: Assistant) => void;
}

/** Form to create or edit an assistant. */
export function AssistantForm({ keyId, assistant, onClose, onSaved }: AssistantFormProps) {
  const queries = useQueryClient();
  const toast = useToast();
  const [name, setName] = useState(assistant?.name ?? "");
  const [model, setModel] = useState(assistant?.model ?? "");
  const [instructions, setInstructions] = useState(assistant?.instructions ?? "");
  const [tools, setTools] = useState(() =>
    assistant === null || assistant.tools.length === 0 ? "" : JSON.stringify(assistant.tools, null, 2),
  );
  const read = readTools(tools);
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        name: name.trim() === "" ? null : name.trim(),
        model,
        instructions: instructions.trim() === "" ? null : instructions,
        tools: typeof read === "string" ? [] : read,
      };
      const path = assistant === null ? "/v1/assistants" : `/v1/assistants/${assistant.id}`;
      return (await gatewayOf(keyId).request<Assistant>("POST", path, { body })).data;
    },
    onSuccess: async (saved) => {
      toast.done(`${saved.name ?? saved.id} saved`);
      await queries.invalidateQueries({ queryKey: ["relay", keyId] });
      onSaved(saved);
    },
  });
  const problem = model === "" ? "Choose a model" : typeof read === "string" ? read : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === null) save.mutate();
  };
  return (
    <Dialog
      title={assistant === null ? "New assistant" : `Edit ${assistant.name ?? assistant.id}`}
      open
      onClose={onClose}
    >
      <form onSubmit={submit} className="grid gap-4">
        {save.isError && <ErrorNotice error={save.error} verb="save" what="The assistant" />}
        <Field label="Name" optional>
          <TextInput value={name} onChange={(event) => setName(event.target.value)} maxLength={256} autoFocus />
        </Field>
        <Field label="Model">
          <ModelPicker mode="chat" value={model} onValue={setModel} />
        </Field>
        <Field label="Instructions" optional hint="Sent to the model in every run.">
          <TextArea
            value={instructions}
            onChange={(event) => setInstructions(event.target.value)}
            rows={5}
            maxLength={256_000}
          />
        </Field>
        <Field
          label="Functions"
          optional
          hint="A JSON array of tools, in the API's format."
          error={typeof read === "string" ? read : undefined}
        >
          <TextArea
            mono
            value={tools}
            onChange={(event) => setTools(event.target.value)}
            spellCheck={false}
            placeholder='[{ "type": "function", "function": { "name": "find_order" } }]'
          />
        </Field>
        {typeof read !== "string" && read.length > 0 && <ToolList tools={read} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={save.isPending} isReasonShown disabledReason={problem}>
            {assistant === null ? "Create assistant" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
