import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PairingAnswer, PairingParams } from "@tollgate/contracts/management/pairing.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  decidePairing,
  findPairing,
  type PairingDecision,
  type PairingRecord,
} from "@tollgate/db/pairings/pairings.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import { operation, read, write } from "../operation.ts";
import type { Services } from "../services.ts";
import { digestPairingCode, normalizePairingCode } from "./pairing-code.ts";

export const getPairing = operation({
  ...read,
  id: "getPairing",
  summary: "Get the sign-in request for a code",
  tag: "identity",
  path: "/api/auth/pairings/{code}",
  auth: "user",
  scope: "own",
  // Codes are short, so attempts are throttled.
  rate: "login",
  params: PairingParams,
  answers: { 200: { description: "The request's origin and status", schema: PairingAnswer } },
  handle: async ({ caller, params: { code } }, services) => {
    const found = await runUnauthenticated(services.db, (transaction) =>
      findPairing(transaction, digestPairingCode(code)),
    );
    return { status: 200, body: describe(knownTo(caller, found), code, services.now()) };
  },
});

export const approvePairing = operation({
  ...write,
  id: "approvePairing",
  summary: "Approve the sign-in request for a code, as the current user",
  tag: "identity",
  path: "/api/auth/pairings/{code}/approve",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  params: PairingParams,
  answers: { 200: { description: "The terminal can claim its session", schema: PairingAnswer } },
  handle: ({ caller, origin, params: { code } }, services) =>
    decide({ caller, origin, code }, services, {
      status: "approved",
      userId: caller.userId,
      organizationId: caller.organization?.id ?? null,
      sessionEndsAt: caller.sessionExpiresAt,
    }),
});

export const denyPairing = operation({
  ...write,
  id: "denyPairing",
  summary: "Deny the sign-in request for a code",
  tag: "identity",
  path: "/api/auth/pairings/{code}/deny",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  params: PairingParams,
  answers: { 200: { description: "The request is denied", schema: PairingAnswer } },
  handle: ({ caller, origin, params: { code } }, services) =>
    decide({ caller, origin, code }, services, { status: "denied", userId: caller.userId }),
});

async function decide(
  { caller, origin, code }: { readonly caller: Caller; readonly origin: Origin; readonly code: string },
  services: Services,
  decision: PairingDecision,
) {
  const now = services.now();
  const codeDigest = digestPairingCode(code);
  const pairing = await runUnauthenticated(services.db, async (transaction) => {
    const found = knownTo(caller, await findPairing(transaction, codeDigest));
    if (!(await decidePairing(transaction, found.id, decision, now))) {
      throw new Failure("WRONG_STATE", "This code was already used or has expired.");
    }
    await writeAudit(transaction, {
      organizationId: null,
      actor: actorOf({ caller, origin }),
      action: `pairing.${decision.status}`,
      target: { type: "pairing", id: found.id },
      personal: { clientName: found.clientName, clientIp: found.ip },
    });
    return { ...found, status: decision.status };
  });
  return { status: 200, body: describe(pairing, code, now) };
}

/** Returns the pairing if the caller can see it. After the decision, only the user who decided can see it. */
function knownTo(caller: Caller, pairing: PairingRecord | null): PairingRecord {
  if (pairing === null || (pairing.userId !== null && pairing.userId !== caller.userId)) throw unknownObject("code");
  return pairing;
}

function describe({ clientName, ip, createdAt, expiresAt, status }: PairingRecord, code: string, now: Date) {
  const isOver = status === "pending" && expiresAt <= now;
  const shown = { code: normalizePairingCode(code), clientName, ip, createdAt, expiresAt };
  return { pairing: { ...shown, status: isOver ? "expired" : status } };
}
