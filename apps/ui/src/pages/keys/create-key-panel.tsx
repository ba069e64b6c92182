import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Notice } from "../../components/notice.tsx";
import { useZone } from "../../shell/use-range.ts";
import type { Team } from "./api-key.ts";
import { type DraftErrors, emptyDraft, findDraftErrors, type KeyDraft, toNewKey } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { insertKey, type NewSecret, takeSecret } from "./new-secret.ts";

interface CreateKeyPanelProps {
  readonly onClose: () => void;
  readonly onCreated: (made: NewSecret) => void;
}

/** Form to create a key. Three fields are visible, and all other fields are collapsed and have defaults. */
export function CreateKeyPanel({ onClose, onCreated }: CreateKeyPanelProps) {
  const formId = useId();
  const queries = useQueryClient();
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const create = useChange("createApiKey", {
    invalidates: ["listApiKeys", "listTeams", "getOnboarding"],
    isQuiet: true,
    onDone: ({ apiKey }) => {
      const made = takeSecret(apiKey, false);
      insertKey(queries, made.key);
      onCreated(made);
    },
  });
  return (
    <DetailPanel
      title="Create key"
      onClose={onClose}
      footer={
        <>
          <span className="text-meta text-muted">The secret is shown once, in the next step.</span>
          <span className="ml-auto flex gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={formId} variant="primary" busy={create.isPending}>
              Create key
            </Button>
          </span>
        </>
      }
    >
      <div className="p-5 max-sm:p-4">
        <Loaded query={teams} what="The teams">
          {({ data }) => (
            <CreateForm
              id={formId}
              teams={data}
              error={create.error}
              onSubmit={(draft, zone) => create.mutate({ body: toNewKey(draft, new Date(), zone) })}
            />
          )}
        </Loaded>
      </div>
    </DetailPanel>
  );
}

interface CreateFormProps {
  readonly id: string;
  readonly teams: readonly Team[];
  readonly error: Error | null;
  readonly onSubmit: (draft: KeyDraft, zone: string) => void;
}

function CreateForm({ id, teams, error, onSubmit }: CreateFormProps) {
  const zone = useZone();
  const [draft, setDraft] = useState(() => emptyDraft(firstTeamOf(teams)?.id ?? ""));
  const [errors, setErrors] = useState<DraftErrors>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = findDraftErrors(draft, new Date(), zone);
    setErrors(found);
    if (Object.keys(found).length === 0) onSubmit(draft, zone);
  };
  const team = teams.find((each) => each.id === draft.teamId);
  return (
    <form id={id} onSubmit={submit} noValidate className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {error !== null && <ErrorNotice error={error} verb="create" what="The key" />}
      {team?.status === "blocked" && (
        <Notice tone="warning" title={`Team ${team.name} is blocked.`}>
          You can create the key, but its requests are refused until the team is unblocked.
        </Notice>
      )}
      <KeyForm
        draft={draft}
        errors={errors}
        teams={teams}
        isNew
        onChange={(change) => {
          setDraft({ ...draft, ...change });
          setErrors({});
        }}
      />
    </form>
  );
}

/** Returns the default team: the oldest active team, or the oldest team if no team is active. */
function firstTeamOf(teams: readonly Team[]): Team | undefined {
  const oldestFirst = teams.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return oldestFirst.find(({ status }) => status === "active") ?? oldestFirst[0];
}
