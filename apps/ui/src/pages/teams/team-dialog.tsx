import { type FormEvent, useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { bodyOf, emptyTeam, problemOf, type Team } from "./team-draft.ts";
import { LimitFields, ModelFields, NameField } from "./team-fields.tsx";

interface TeamDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (team: Team) => void;
}

/** Creates a team. Only the name is required; all fields can be changed later. */
export function TeamDialog({ onClose, onCreated }: TeamDialogProps) {
  const [draft, setDraft] = useState(emptyTeam);
  const create = useChange("createTeam", {
    invalidates: ["listTeams", "listOrganizations"],
    done: ({ team }) => `Team ${team.name} created`,
    onDone: ({ team }) => onCreated(team),
  });
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const problem = problemOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === null) create.mutate({ body: bodyOf(draft) });
  };
  return (
    <Dialog title="Create team" open onClose={onClose} width={560}>
      <form onSubmit={submit} className="grid gap-5">
        <NameField draft={draft} onChange={change} autoFocus />
        <ModelFields draft={draft} onChange={change} />
        <LimitFields draft={draft} onChange={change} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending} isReasonShown disabledReason={problem}>
            Create team
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
