import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { ConfirmTotpRequest, TotpResponse } from "@tollgate/contracts/management/identity.ts";
import { confirmTotp, proposeTotp, readTotp, removeTotp } from "@tollgate/db/accounts/one-time-codes.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { findCodeStep, toBase32 } from "@tollgate/domain/identity/one-time-code.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { makeTotpSecret, openTotpSecret } from "./totp-secret.ts";

const ISSUER = "Tollgate";

export const createTotp = operation({
  ...write,
  id: "createTotp",
  summary: "Start one-time code setup",
  tag: "identity",
  path: "/api/auth/totp",
  auth: "user",
  scope: "own",
  idempotency: "none",
  recentAuthentication: true,
  answers: {
    200: {
      description: "A secret for an authenticator app; confirm a code to enable one-time codes",
      schema: TotpResponse,
    },
  },
  handle: async ({ caller: { userId, email } }, services) => {
    const { secret, sealed } = makeTotpSecret(services.secrets, userId);
    const isProposed = await runUnauthenticated(services.db, (transaction) => proposeTotp(transaction, userId, sealed));
    if (!isProposed) throw new Failure("WRONG_STATE", "One-time codes are already enabled. Disable them first.");
    const text = toBase32(secret);
    const query = new URLSearchParams({ secret: text, issuer: ISSUER, algorithm: "SHA1", digits: "6", period: "30" });
    const otpauthUrl = `otpauth://totp/${ISSUER}:${encodeURIComponent(email)}?${query}`;
    return { status: 200, body: { secret: text, otpauthUrl } };
  },
});

export const confirmTotpOperation = operation({
  ...write,
  id: "confirmTotp",
  summary: "Enable one-time codes by confirming a first code",
  tag: "identity",
  path: "/api/auth/totp/confirm",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  recentAuthentication: true,
  body: ConfirmTotpRequest,
  answers: { 204: { description: "Every sign-in now requires a code" } },
  handle: async (input, services) => {
    const { userId } = input.caller;
    const now = services.now();
    await runUnauthenticated(services.db, async (transaction) => {
      const { secret, isConfirmed } = await readTotp(transaction, userId);
      if (secret === null || isConfirmed) {
        throw new Failure("WRONG_STATE", "No one-time code setup is in progress. Start with POST /api/auth/totp.");
      }
      const step = findCodeStep(openTotpSecret(services.secrets, userId, secret), input.body.code, now);
      if (step === null) throw invalidField("code", "is not the current code; check the device's clock");
      if (!(await confirmTotp(transaction, userId, { secret, step, now }))) {
        throw new Failure("WRONG_STATE", "A newer secret was created in the meantime. Use that one.");
      }
      await writeAudit(transaction, {
        organizationId: null,
        actor: actorOf(input),
        action: "user.totp_enabled",
        target: { type: "user", id: String(userId) },
      });
    });
    return { status: 204 };
  },
});

export const deleteTotp = operation({
  ...write,
  method: "DELETE",
  id: "deleteTotp",
  summary: "Disable one-time codes",
  tag: "identity",
  path: "/api/auth/totp",
  auth: "user",
  scope: "own",
  idempotency: "none",
  recentAuthentication: true,
  answers: { 204: { description: "Sign-ins now require only the password" } },
  handle: async (input, services) => {
    const { userId } = input.caller;
    await runUnauthenticated(services.db, async (transaction) => {
      if (!(await removeTotp(transaction, userId))) return;
      await writeAudit(transaction, {
        organizationId: null,
        actor: actorOf(input),
        action: "user.totp_disabled",
        target: { type: "user", id: String(userId) },
      });
    });
    return { status: 204 };
  },
});
