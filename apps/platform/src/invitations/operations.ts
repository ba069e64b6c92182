import type { ManagementOperation } from "../operation.ts";
import { acceptInvitationOperation } from "./accept-invitation.ts";
import { declineInvitationOperation, deleteInvitationOperation } from "./decline-invitation.ts";
import { listInvitationsOperation } from "./list-invitations.ts";

export const invitationOperations: readonly ManagementOperation[] = [
  listInvitationsOperation,
  acceptInvitationOperation,
  declineInvitationOperation,
  deleteInvitationOperation,
];
