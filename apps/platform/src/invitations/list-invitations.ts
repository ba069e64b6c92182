import { InvitationList, InvitationListQuery, toInvitationList } from "@tollgate/contracts/management/invitation.ts";
import { listInvitationsTo } from "@tollgate/db/invitations/list-invitations.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { operation, read } from "../operation.ts";

export const listInvitationsOperation = operation({
  ...read,
  id: "listInvitations",
  summary: "List your pending invitations",
  tag: "teams",
  path: "/api/invitations",
  auth: "user",
  scope: "own",
  query: InvitationListQuery,
  answers: { 200: { description: "One page of invitations", schema: InvitationList } },
  handle: async ({ caller, query }, { db, now }) => {
    const at = now();
    // Anyone can sign up with any email address, so invitations are hidden until the email address is verified.
    if (!caller.isEmailVerified)
      return { status: 200, body: toInvitationList({ invitations: [], total: 0 }, query, at) };
    const found = await runUnauthenticated(db, (transaction) =>
      listInvitationsTo(transaction, caller.email, query, at),
    );
    return { status: 200, body: toInvitationList(found, query, at) };
  },
});
