import { parseArgs } from "node:util";
import type { Database } from "@tollgate/db/connect.ts";
import { type Reseal, type ResealReport, resealStored } from "@tollgate/db/secrets/reseal-stored.ts";
import { rotateSigningKey } from "@tollgate/platform/adapters/database-signing-keys.ts";
import { createSecretBox, type SecretBox } from "@tollgate/runtime/secret-box.ts";
import { loadEnvironment, readSecretKeys } from "../environment.ts";
import { EXIT, type Io, reportFailure } from "./exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "./ledger-connection.ts";

const USAGE = `Seal everything that is stored sealed under a new secret key, while everything runs.

  1  Start every process with the new key in TOLLGATE_SECRET_KEY and the old one in TOLLGATE_SECRET_KEY_PREVIOUS.
  2  tollgate secrets rotate
  3  When it reports nothing under the old key any more, start every process without TOLLGATE_SECRET_KEY_PREVIOUS.
     Mails that wait to be sent are sealed too; leave the old key a day for them.

  --signing              also sign sessions with a new key; those that are open stay good
  --compromised          with --signing: the old signing key is in wrong hands, everyone has to sign in again
${LEDGER_OPTIONS_USAGE}
`;

/** `tollgate secrets rotate`: what is stored sealed, sealed again under the newest key. */
export async function secretsRotate(args: readonly string[], io: Io): Promise<number> {
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
    return reportFailure(io, "--compromised is said of a signing key; give --signing with it.", EXIT.usage);
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

async function rotate(db: Database, secrets: SecretBox, options: RotateOptions, io: Io): Promise<number> {
  const reports = await resealStored(db, resealWith(secrets));
  const signingKey = options.signing
    ? await rotateSigningKey(db, secrets, new Date(), { isCompromised: options.compromised })
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
      unreadable.length === 0 ? "" : `, ${unreadable.length} that no configured key opens: ${show(unreadable)}`;
    return `  ${sign} ${name.padEnd(22)} ${total} stored, ${resealed} sealed again${lost}\n`;
  });
  const signing = signingKey === null ? "" : `  ✓ ${"sessions".padEnd(22)} signed with ${signingKey} from now on\n`;
  const isWhole = reports.every(({ unreadable }) => unreadable.length === 0);
  const end = isWhole
    ? ""
    : "  Give the key they were sealed under as TOLLGATE_SECRET_KEY_PREVIOUS, and run this again.\n";
  return lines.join("") + signing + end;
}

const show = (ids: readonly string[]): string => ids.slice(0, 5).join(", ") + (ids.length > 5 ? ", …" : "");
