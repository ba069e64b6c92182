import { Badge } from "./badge.tsx";
import type { Invitation } from "./invitation-actions.tsx";
import { Time } from "./time.tsx";

/** Remaining validity of the invitation link. */
export function InvitationState({ invitation: { status, expiresAt } }: { readonly invitation: Invitation }) {
  if (status === "expired") return <Badge tone="warning">Expired</Badge>;
  return (
    <Badge>
      <span className="font-normal">
        Expires <Time at={expiresAt} form="day" />
      </span>
    </Badge>
  );
}
