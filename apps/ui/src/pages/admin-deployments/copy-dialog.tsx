import { useState } from "react";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { Select } from "../../components/select.tsx";
import type { Deployment } from "./filter-deployments.ts";

interface CopyDialogProps {
  readonly deployment: Deployment;
  readonly onClose: () => void;
  readonly onCopied: (modelId: string) => void;
}

/** Copies a deployment of a file into the database, where it can be edited. The file keeps its own. */
export function CopyDialog({ deployment, onClose, onCopied }: CopyDialogProps) {
  const [id, setId] = useState(`${deployment.group}-copy`);
  const [provider, setProvider] = useState("");
  const providers = useCall("listAdminProviders", { query: { pageSize: 100, sort: "name" } });
  const copy = useChange("copyDeployment", {
    invalidates: ["listDeployments", "getRouting"],
    done: ({ model }) => `${model.id} is in the database`,
    onDone: ({ model }) => onCopied(model.id),
    isQuiet: true,
  });
  const options = providers.data?.data ?? [];
  return (
    <Dialog
      title={`Copy ${deployment.group} to the database`}
      open
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={copy.isPending}
            disabledReason={id.trim() === "" ? "Needs a name" : null}
            onClick={() =>
              copy.mutate({
                params: { id: deployment.id },
                body: { id: id.trim(), ...(provider !== "" && { provider }) },
              })
            }
          >
            Copy
          </Button>
        </>
      }
    >
      <p className="text-muted">
        The file keeps its own and wins for the name {deployment.group}, so the copy has another name. Its credential is
        copied by nobody: the provider of the database has its own.
      </p>
      {copy.isError && <ErrorNotice error={copy.error} what="The copy" />}
      {providers.data !== undefined && options.length === 0 && (
        <Notice tone="warning">
          The database has no provider yet. Add a deployment with a new provider first; then copies of its kind can be
          made.
        </Notice>
      )}
      <Field label="Callers name it">
        <TextInput mono value={id} onChange={(event) => setId(event.target.value)} maxLength={200} autoFocus />
      </Field>
      <Field label="Provider of the database" optional hint="Needed where several are of the same kind.">
        <Select
          label="Provider of the database"
          value={provider}
          onValue={setProvider}
          options={[
            { value: "", label: "The only one of its kind" },
            ...options.map(({ slug, kind }) => ({ value: slug, label: slug, note: kind })),
          ]}
        />
      </Field>
    </Dialog>
  );
}
