import { invalidField, ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { ConfirmTotpRequest, TotpResponse } from "@tollgate/contracts/management/identity.ts";
import { confirmTotp, proposeTotp, readTotp, removeTotp } from "@tollgate/db/accounts/one-time-codes.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { actAtDoor } from "@tollgate/db/tenancy.ts";
import { findCodeStep, toBase32 } from "@tollgate/domain/identity/one-time-code.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { makeTotpSecret, openTotpSecret } from "./totp-secret.ts";

const ISSUER = "Tollgate";

export const createTotp = operation({
  ...write,
  id: "createTotp",
  summary: "Begin to switch one-time codes on",
  tag: "identity",
  path: "/api/auth/totp",
  auth: "user",
  scope: "own",
  idempotency: "none",
  recentAuthentication: true,
  answers: {
    200: { description: "A secret for an authenticator program; it counts once confirmed", schema: TotpResponse },
  },
  handle: async ({ caller: { userId, email } }, services) => {
    const { secret, sealed } = makeTotpSecret(services.secrets, userId);
    const isProposed = await actAtDoor(services.db, (transaction) => proposeTotp(transaction, userId, sealed));
    if (!isProposed) throw new ManagementFailure("WRONG_STATE", "One-time codes are on. Switch them off first.");
    const text = toBase32(secret);
    const query = new URLSearchParams({ secret: text, issuer: ISSUER, algorithm: "SHA1", digits: "6", period: "30" });
    const otpauthUrl = `otpauth://totp/${ISSUER}:${encodeURIComponent(email)}?${query}`;
    return { status: 200, body: { secret: text, otpauthUrl } };
  },
});

export const confirmTotpOperation = operation({
  ...write,
  id: "confirmTotp",
  summary: "Switch one-time codes on by a first code",
  tag: "identity",
  path: "/api/auth/totp/confirm",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  recentAuthentication: true,
  body: ConfirmTotpRequest,
  answers: { 204: { description: "Every login asks for a code from now on" } },
  handle: async (input, services) => {
    const { userId } = input.caller;
    const now = services.now();
    await actAtDoor(services.db, async (transaction) => {
      const { secret, isConfirmed } = await readTotp(transaction, userId);
      if (secret === null || isConfirmed) {
        throw new ManagementFailure("WRONG_STATE", "Nothing waits for a code. Begin with POST /api/auth/totp.");
      }
      const step = findCodeStep(openTotpSecret(services.secrets, userId, secret), input.body.code, now);
      if (step === null) throw invalidField("code", "is not the code of this moment: check the clock of the device");
      if (!(await confirmTotp(transaction, userId, { secret, step, now }))) {
        throw new ManagementFailure("WRONG_STATE", "Another secret was asked for meanwhile. Use that one.");
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
  summary: "Switch one-time codes off",
  tag: "identity",
  path: "/api/auth/totp",
  auth: "user",
  scope: "own",
  idempotency: "none",
  recentAuthentication: true,
  answers: { 204: { description: "Logins ask for the password alone" } },
  handle: async (input, services) => {
    const { userId } = input.caller;
    await actAtDoor(services.db, async (transaction) => {
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
