import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { DetailPanel, DetailSection } from "../../components/detail-panel.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/inputs.tsx";
import { Time } from "../../components/time.tsx";
import { useToast } from "../../components/toast.tsx";
import { type Assistant, momentOf, type ThreadRun } from "./assistant-objects.ts";
import { ToolList } from "./tool-list.tsx";

interface AssistantPanelProps {
  readonly keyId: string;
  readonly assistant: Assistant;
  readonly onClose: () => void;
  readonly onEdit: () => void;
}

/** An assistant's instructions and tools, and a form to start a thread. */
export function AssistantPanel({ keyId, assistant, onClose, onEdit }: AssistantPanelProps) {
  const { id, name, model, instructions, tools } = assistant;
  const [isDeleting, setDeleting] = useState(false);
  const remove = useDelete(keyId, assistant, onClose);
  return (
    <DetailPanel
      title={name ?? "Unnamed assistant"}
      subtitle={
        <span className="flex items-center gap-1 font-mono">
          <span className="truncate">{id}</span>
          <CopyButton text={id} label="Copy ID" iconOnly />
        </span>
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onEdit}>Edit</Button>
          <Button variant="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <DetailSection title="Try it" note="starts a thread and a run, charged to the key">
        <FirstMessage keyId={keyId} assistantId={id} />
      </DetailSection>
      <DetailSection title="Configuration">
        <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 gap-y-2 text-table [&_dt]:text-muted">
          <dt>Model</dt>
          <dd className="font-mono text-meta wrap-anywhere">{model}</dd>
          <dt>Created</dt>
          <dd>
            <Time at={momentOf(assistant.created_at)} form="minute" />
          </dd>
        </dl>
      </DetailSection>
      <DetailSection title="Tools">
        {tools.length === 0 ? <p className="text-table text-muted">None.</p> : <ToolList tools={tools} />}
      </DetailSection>
      <DetailSection title="Instructions">
        {instructions === null ? (
          <p className="text-table text-muted">None.</p>
        ) : (
          <p className="text-table whitespace-pre-wrap wrap-anywhere">{instructions}</p>
        )}
      </DetailSection>
      <ConfirmDialog
        open={isDeleting}
        title={`Delete ${name ?? id}?`}
        consequence="New runs with this assistant fail. Its threads, messages, and runs remain. You can't undo this."
        confirmLabel="Delete assistant"
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      />
    </DetailPanel>
  );
}

function FirstMessage({ keyId, assistantId }: { readonly keyId: string; readonly assistantId: string }) {
  const navigate = useNavigate();
  const toast = useToast();
  const [text, setText] = useState("");
  const start = useMutation({
    mutationFn: async () => {
      const body = { assistant_id: assistantId, thread: { messages: [{ role: "user", content: text }] } };
      return (await gatewayOf(keyId).request<ThreadRun & { thread_id: string }>("POST", "/v1/threads/runs", { body }))
        .data;
    },
    onSuccess: ({ thread_id: threadId }) =>
      navigate({ to: "/threads/$threadId", params: { threadId }, search: { key: keyId } }),
    onError: (error) => toast.failed(error, "Starting the thread"),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") start.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Field label="First message">
        <TextArea value={text} onChange={(event) => setText(event.target.value)} maxLength={256_000} />
      </Field>
      <div>
        <Button
          type="submit"
          variant="primary"
          busy={start.isPending}
          disabledReason={text.trim() === "" ? "Enter a message" : null}
        >
          Start thread
        </Button>
      </div>
    </form>
  );
}

function useDelete(keyId: string, { id, name }: Assistant, onDone: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: () => gatewayOf(keyId).request("DELETE", `/v1/assistants/${id}`),
    onSuccess: async () => {
      toast.done(`${name ?? id} deleted`);
      onDone();
      await queries.invalidateQueries({ queryKey: ["relay", keyId] });
    },
    onError: (error) => toast.failed(error, "Deleting the assistant"),
  });
}
