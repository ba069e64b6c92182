import { type FormEvent, useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { useZone } from "../../shell/use-range.ts";
import type { ApiKey, Team } from "./api-key.ts";
import { touchedByKeys } from "./key-actions.tsx";
import { type DraftErrors, findDraftErrors, toDraft, toUpdate } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";

/** Form to edit a key. Clearing a field removes the limit. */
export function KeySettings({ apiKey, teams }: { readonly apiKey: ApiKey; readonly teams: readonly Team[] }) {
  const zone = useZone();
  const stored = toDraft(apiKey, zone);
  const [draft, setDraft] = useState(stored);
  const [errors, setErrors] = useState<DraftErrors>({});
  const update = useChange("updateApiKey", {
    invalidates: touchedByKeys,
    done: (answer) => `Key ${answer.apiKey.name} updated`,
    isQuiet: true,
  });
  const changes = toUpdate(stored, draft, new Date(), zone);
  const isChanged = Object.keys(changes).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = wrongIn(changes, findDraftErrors(draft, new Date(), zone));
    setErrors(found);
    if (isChanged && Object.keys(found).length === 0) update.mutate({ body: { token: apiKey.id, ...changes } });
  };
  return (
    <Panel title="Settings">
      <form onSubmit={submit} noValidate className="grid max-w-[640px] grid-cols-[minmax(0,1fr)] gap-4">
        {update.error !== null && <ErrorNotice error={update.error} verb="save" what="The changes" />}
        <KeyForm
          draft={draft}
          errors={errors}
          teams={teams}
          isNew={false}
          onChange={(change) => {
            setDraft({ ...draft, ...change });
            setErrors({});
          }}
        />
        <div className="flex gap-2">
          <Button
            type="submit"
            variant="primary"
            busy={update.isPending}
            disabledReason={
              apiKey.status === "revoked" ? "This key has been deleted" : isChanged ? null : "No changes to save"
            }
          >
            Save changes
          </Button>
          {isChanged && <Button onClick={() => setDraft(stored)}>Discard changes</Button>}
        </div>
      </form>
    </Panel>
  );
}

/** Ignores expiry errors unless the expiry was changed, so that expired keys can still be renamed. */
function wrongIn(changes: object, errors: DraftErrors): DraftErrors {
  if ("expiresAt" in changes) return errors;
  const { lastDay, ...others } = errors;
  return others;
}
