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

/** Copies a deployment from a file into the database, where it can be edited. The file does not change. */
export function CopyDialog({ deployment, onClose, onCopied }: CopyDialogProps) {
  const [id, setId] = useState(`${deployment.group}-copy`);
  const [provider, setProvider] = useState("");
  const providers = useCall("listAdminProviders", { query: { pageSize: 100, sort: "name" } });
  const copy = useChange("copyDeployment", {
    invalidates: ["listDeployments", "getRouting"],
    done: ({ model }) => `${model.id} copied to the database`,
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
            disabledReason={id.trim() === "" ? "Enter a name" : null}
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
        The settings file takes precedence for the name {deployment.group}, so the copy needs a different name. The API
        key isn't copied. Add one to the provider first.
      </p>
      {copy.isError && <ErrorNotice error={copy.error} verb="copy" what="The deployment" />}
      {providers.data !== undefined && options.length === 0 && (
        <Notice tone="warning">
          The database has no providers yet. To create one, add a deployment with a new provider of this kind.
        </Notice>
      )}
      <Field label="Public model name">
        <TextInput mono value={id} onChange={(event) => setId(event.target.value)} maxLength={200} autoFocus />
      </Field>
      <Field
        label="Provider in database"
        optional
        hint="Required if the database has more than one provider of this kind."
      >
        <Select
          label="Provider in database"
          value={provider}
          onValue={setProvider}
          options={[
            { value: "", label: "Automatic, by kind" },
            ...options.map(({ slug, kind }) => ({ value: slug, label: slug, note: kind })),
          ]}
        />
      </Field>
    </Dialog>
  );
}
