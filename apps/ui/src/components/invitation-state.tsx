import { Badge } from "./badge.tsx";
import type { Invitation } from "./invitation-actions.tsx";
import { Time } from "./time.tsx";

/** How long the link still works, or that it does no more. */
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
