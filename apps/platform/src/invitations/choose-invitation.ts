import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { digestLinkToken } from "@tollgate/domain/identity/link-token.ts";
import type { Caller } from "../caller.ts";

export type ChosenInvitation = { readonly tokenDigest: Buffer } | { readonly invitationId: string };

/**
 * Reads which invitation a request body refers to. A link token proves access to the mailbox. An ID proves nothing, so
 * it requires a verified email address.
 */
export function chooseInvitation(
  body: { readonly token?: string; readonly invitationId?: string },
  caller: Caller,
): ChosenInvitation {
  const { token, invitationId } = body;
  if ((token === undefined) === (invitationId === undefined)) {
    throw invalidField("token", "or invitationId is required, but not both");
  }
  if (token !== undefined) return { tokenDigest: digestLinkToken(token) };
  if (!caller.isEmailVerified) {
    throw new Failure("EMAIL_UNVERIFIED", "Verify your email address first, or use the invitation link.");
  }
  return { invitationId: invitationId ?? "" };
}
