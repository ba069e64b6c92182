import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import type { Team } from "./team-draft.ts";
import { NamePanel } from "./team-form-tabs.tsx";

/** The team's name and ID, and a button to delete the team. */
export function SettingsTab({ team, manages }: { readonly team: Team; readonly manages: boolean }) {
  const navigate = useNavigate();
  const { leads } = useMe();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("deleteTeam", {
    invalidates: ["listTeams", "listApiKeys", "listOrganizations"],
    done: `Team ${team.name} deleted`,
    onDone: () => void navigate({ to: "/teams" }),
  });
  return (
    <>
      <NamePanel team={team} manages={manages} />
      <Panel title="About" className="max-w-2xl">
        <dl className="grid grid-cols-[110px_minmax(0,1fr)] items-center gap-y-1.5 text-table">
          <dt className="text-muted">ID</dt>
          <dd className="flex min-w-0 items-center gap-2">
            <span className="truncate font-mono">{team.id}</span>
            <CopyButton text={team.id} label="Copy ID" iconOnly />
          </dd>
          <dt className="text-muted">Created</dt>
          <dd>
            <Time at={team.createdAt} form="minute" />
          </dd>
        </dl>
      </Panel>
      <Panel title="Delete team" className="max-w-2xl">
        <div className="grid gap-3 text-table">
          <p className="text-muted">
            Its keys ({team.keyCount}) and pending invitations are revoked immediately. Its usage stays in the logs and
            the ledger.
          </p>
          <Button
            variant="danger"
            className="justify-self-start"
            disabledReason={leads ? null : "Only organization owners and admins can delete teams"}
            onClick={() => setAsking(true)}
          >
            Delete team
          </Button>
        </div>
      </Panel>
      <ConfirmDialog
        open={isAsking}
        title={`Delete team ${team.name}?`}
        consequence={`This revokes all of its keys (${team.keyCount}), so requests with these keys fail. Its members (${team.memberCount}) lose access. You can't undo this.`}
        confirmLabel="Delete team"
        typeToConfirm={team.name}
        busy={remove.isPending}
        onConfirm={() => remove.mutate({ params: { id: team.id } })}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
