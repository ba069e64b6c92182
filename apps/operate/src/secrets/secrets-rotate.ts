import { parseArgs } from "node:util";
import type { Database } from "@tollgate/db/connect.ts";
import { type Reseal, type ResealReport, resealStored } from "@tollgate/db/secrets/reseal-stored.ts";
import { loadEnvironment, readSecretKeys } from "@tollgate/runtime/environment.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { createSecretBox, type SecretBox } from "@tollgate/runtime/secret-box.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";

const USAGE = `Re-encrypt all stored secrets with a new secret key while the server runs.

  1  Restart all processes with the new key in TOLLGATE_SECRET_KEY and the old key in TOLLGATE_SECRET_KEY_PREVIOUS.
  2  Run tollgate secrets rotate.
  3  When no secrets use the old key, restart all processes without TOLLGATE_SECRET_KEY_PREVIOUS.
     Keep the old key for one more day, because queued emails are encrypted with it.

  --signing              Also create a new session signing key; existing sessions stay valid
  --compromised          With --signing: revoke the old signing key, so all users must sign in again
${LEDGER_OPTIONS_USAGE}
`;

/** `tollgate secrets rotate`: re-encrypts all stored secrets with the newest key. */
export async function secretsRotate(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      signing: { type: "boolean", default: false },
      compromised: { type: "boolean", default: false },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  if (values.compromised && !values.signing) {
    return reportFailure(io, "--compromised requires --signing.", EXIT.usage);
  }
  const secretKeys = readSecretKeys(loadEnvironment(io.env));
  if (secretKeys.kind === "problem") return reportFailure(io, secretKeys.text, EXIT.usage);
  const secrets = createSecretBox(secretKeys.keys);
  return withLedger(
    {
      data: values.data ?? null,
      role: "tollgate_platform",
      work: ({ db }) => rotate(db, secrets, values, io),
    },
    io,
  );
}

interface RotateOptions {
  readonly signing: boolean;
  readonly compromised: boolean;
  readonly json: boolean;
}

async function rotate(db: Database, secrets: SecretBox, options: RotateOptions, io: OperatorIo): Promise<number> {
  const reports = await resealStored(db, resealWith(secrets));
  const signingKey = options.signing
    ? await io.apps.platform.rotateSigningKey(db, secrets, new Date(), { isCompromised: options.compromised })
    : null;
  if (options.json) io.stdout.write(`${JSON.stringify({ sealed: reports, signingKey: signingKey?.kid ?? null })}\n`);
  else io.stdout.write(describe(reports, signingKey?.kid ?? null));
  return reports.some(({ unreadable }) => unreadable.length > 0) ? EXIT.failure : EXIT.ok;
}

function resealWith(secrets: SecretBox): Reseal {
  return (sealed, purpose) => {
    if (!secrets.isOutdated(sealed)) return { kind: "fresh" };
    try {
      return { kind: "resealed", sealed: secrets.seal(secrets.open(sealed, purpose), purpose) };
    } catch {
      return { kind: "unreadable" };
    }
  };
}

function describe(reports: readonly ResealReport[], signingKey: string | null): string {
  const lines = reports.map(({ name, total, resealed, unreadable }) => {
    const sign = unreadable.length === 0 ? "✓" : "✗";
    const lost =
      unreadable.length === 0
        ? ""
        : `, ${unreadable.length} not decryptable with any configured key: ${show(unreadable)}`;
    return `  ${sign} ${name.padEnd(22)} ${total} stored, ${resealed} re-encrypted${lost}\n`;
  });
  const signing = signingKey === null ? "" : `  ✓ ${"sessions".padEnd(22)} now signed with ${signingKey}\n`;
  const isWhole = reports.every(({ unreadable }) => unreadable.length === 0);
  const end = isWhole
    ? ""
    : "  Set TOLLGATE_SECRET_KEY_PREVIOUS to the key that encrypted these secrets, and run the command again.\n";
  return lines.join("") + signing + end;
}

const show = (ids: readonly string[]): string => ids.slice(0, 5).join(", ") + (ids.length > 5 ? ", …" : "");
