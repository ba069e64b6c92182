import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { TokenResponse } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { ClaimPairingBody, PendingPairing } from "@tollgate/contracts/management/pairing.ts";
import { type PairingClaim, redeemPairing } from "@tollgate/db/pairings/pairings.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { digestLinkToken } from "@tollgate/domain/identity/link-token.ts";
import { logIn } from "../identity/log-in.ts";
import type { SessionClaims } from "../identity/token-issuer.ts";
import { operation, write } from "../operation.ts";

export const claimPairing = operation({
  ...write,
  id: "claimPairing",
  summary: "Claim the session that was approved in the browser",
  tag: "identity",
  path: "/api/auth/pairings/claim",
  auth: "none",
  scope: "own",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: ClaimPairingBody,
  answers: {
    200: { description: "A token for a new session, returned once", schema: TokenResponse },
    202: { description: "Not yet approved or denied", schema: PendingPairing },
  },
  handle: async ({ body: { id, secret }, origin }, services) => {
    const now = services.now();
    const outcome = await runUnauthenticated(services.db, async (transaction): Promise<Unclaimed | SessionClaims> => {
      const claim = await redeemPairing(transaction, id, digestLinkToken(secret), now);
      if (claim.kind !== "claimed") return claim;
      const { userId, role, email, organizationId, sessionEndsAt } = claim;
      return logIn(transaction, services, origin, {
        userId,
        role,
        email,
        // No password was entered for this session. If an operation requires a password, the CLI prompts for it in the
        // terminal.
        authenticatedAt: null,
        expiresAt: sessionEndsAt,
        ...(organizationId !== null && { organizationId }),
      });
    });
    if (!("kind" in outcome)) return { status: 200, body: await services.tokens.issue(outcome) };
    if (outcome.kind === "pending") return { status: 202, body: { status: "pending" } };
    throw refuse(outcome.kind);
  },
});

type Unclaimed = Exclude<PairingClaim, { readonly kind: "claimed" }>;

function refuse(kind: Exclude<Unclaimed["kind"], "pending">): Failure {
  if (kind === "denied") return new Failure("PAIRING_DENIED", "The sign-in was denied in the browser.");
  if (kind === "expired") return new Failure("PAIRING_EXPIRED", "The code was not confirmed in time.");
  return unknownObject("pairing");
}
