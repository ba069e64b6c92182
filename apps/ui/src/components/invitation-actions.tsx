import type { Operations } from "@tollgate/sdk/platform";
import { useState } from "react";
import { useChange } from "../api/queries.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { TextInput } from "./inputs.tsx";
import { Menu } from "./menu.tsx";

export type Invitation = Operations["listOrganizationInvitations"]["answer"]["data"][number];

const touched = ["listOrganizationInvitations", "getTeam"] as const;

interface InvitationActionsProps {
  readonly invitation: Invitation;
  /** Shows one menu button, for narrow tables. */
  readonly isCompact?: boolean;
}

/** Resends an invitation with a new link that is valid for seven days, or revokes the invitation. */
export function InvitationActions({ invitation, isCompact = false }: InvitationActionsProps) {
  const { id, email, role, teamId, teamName, organizationId, organizationName } = invitation;
  const [link, setLink] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const sent = {
    invalidates: touched,
    done: `Invitation resent to ${email}`,
    onDone: (answer: object) => setLink((answer as { inviteUrl?: string | null }).inviteUrl ?? null),
  };
  const intoTeam = useChange("inviteTeamMember", sent);
  const intoOrganization = useChange("inviteOrganizationMember", sent);
  const revoke = useChange("deleteInvitation", {
    invalidates: touched,
    done: `Invitation for ${email} revoked`,
    onDone: () => setAsking(false),
  });
  const resend = () =>
    teamId === null
      ? intoOrganization.mutate({ params: { id: organizationId }, body: { email, role } })
      : intoTeam.mutate({ body: { teamId, email, role } });
  return (
    <span className="inline-flex gap-2">
      {isCompact ? (
        <Menu
          label={`Actions for the invitation for ${email}`}
          items={[
            { label: "Resend", onSelect: resend },
            { label: "Revoke", danger: true, onSelect: () => setAsking(true) },
          ]}
        />
      ) : (
        <>
          <Button size="sm" busy={intoTeam.isPending || intoOrganization.isPending} onClick={resend}>
            Resend
          </Button>
          <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
            Revoke
          </Button>
        </>
      )}
      <ConfirmDialog
        open={isAsking}
        title={`Revoke the invitation for ${email}?`}
        consequence={`The invitation link to ${teamName ?? organizationName} stops working immediately. You can invite them again at any time.`}
        confirmLabel="Revoke invitation"
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate({ params: { id } })}
        onClose={() => setAsking(false)}
      />
      <Dialog
        title={`New invitation link for ${email}`}
        open={link !== null}
        onClose={() => setLink(null)}
        dismissable={false}
        footer={<Button onClick={() => setLink(null)}>Done</Button>}
      >
        <Field label="Link" hint="This server doesn't send email, so share the link yourself. It is shown only once.">
          <TextInput value={link ?? ""} readOnly mono />
        </Field>
        <span>
          <CopyButton text={link ?? ""} label="Copy link" />
        </span>
      </Dialog>
    </span>
  );
}
