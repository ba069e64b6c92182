import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { NewPairingAnswer, NewPairingBody } from "@tollgate/contracts/management/pairing.ts";
import { addPairing } from "@tollgate/db/pairings/pairings.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { makeLinkToken } from "@tollgate/domain/identity/link-token.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { operation, write } from "../operation.ts";
import { digestPairingCode, makePairingCode } from "./pairing-code.ts";

const PAIRING_LIFE_MS = 10 * 60_000;
const INTERVAL_SECONDS = 3;

export const createPairing = operation({
  ...write,
  id: "createPairing",
  summary: "Start a terminal sign-in that is approved in a signed-in browser",
  tag: "identity",
  path: "/api/auth/pairings",
  auth: "none",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: NewPairingBody,
  answers: { 201: { description: "A code to confirm in the browser within 10 minutes", schema: NewPairingAnswer } },
  handle: async ({ body, origin, headers }, services) => {
    const now = services.now();
    const expiresAt = new Date(now.getTime() + PAIRING_LIFE_MS);
    const id = makePrefixedId("pair", now.getTime());
    const code = makePairingCode();
    const { token: secret, digest: secretDigest } = makeLinkToken();
    await runUnauthenticated(services.db, (transaction) =>
      addPairing(transaction, {
        id,
        codeDigest: digestPairingCode(code),
        secretDigest,
        clientName: body.clientName,
        ip: origin.ip,
        now,
        expiresAt,
      }),
    );
    const confirmUrl = `${chooseBaseUrl(services.settings(), headers.host)}/ui/cli/confirm?code=${code}`;
    const pairing = { id, code, secret, confirmUrl, expiresAt, intervalSeconds: INTERVAL_SECONDS };
    return { status: 201, body: { pairing } };
  },
});
