import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { type MadeAdministrator, makeAdministrator } from "@tollgate/db/accounts/make-administrator.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { findPasswordProblem, normalizePassword } from "@tollgate/domain/identity/check-password.ts";
import { makePassword } from "@tollgate/domain/identity/make-password.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";

const USAGE = `Create a platform administrator, or promote an existing user.

  DATABASE_URL=postgres://… tollgate admin create --email you@example.org
  pass show tollgate | tollgate admin create --email you@example.org --password-stdin

  --email EMAIL          Email address; an existing user is promoted and keeps their password
  --name NAME            Name of a new user (default: the part before the @)
  --password-stdin       Read the password from standard input; for an existing user, this replaces the password and ends all sessions
${LEDGER_OPTIONS_USAGE}

Without --password-stdin, a new user gets a generated password, which is printed once.
`;

const PASSWORD_MIN_LENGTH = 10;
const MAX_NAME_LENGTH = 100;

/** `tollgate admin create`: creates the first administrator, or restores an operator's access. */
export async function adminCreate(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      email: { type: "string" },
      name: { type: "string" },
      "password-stdin": { type: "boolean", default: false },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const email = normalizeEmail(values.email ?? "");
  if (email === null) return reportFailure(io, `--email must be an email address.\n\n${USAGE}`, EXIT.usage);
  const name = (values.name ?? email.split("@")[0] ?? "").slice(0, MAX_NAME_LENGTH);
  const given = values["password-stdin"] ? await readPassword(io) : null;
  const problem = given === null ? null : findPasswordProblem(given, { email, name }, PASSWORD_MIN_LENGTH);
  if (problem !== null) return reportFailure(io, problem, EXIT.usage);
  const password = given ?? makePassword();
  const passwordHash = await io.apps.platform.hashPassword(normalizePassword(password));
  return withLedger(
    {
      data: values.data ?? null,
      role: "tollgate_platform",
      work: async ({ db }) => {
        const made = await runUnauthenticated(db, (transaction) =>
          makeAdministrator(transaction, {
            email,
            name,
            passwordHash,
            replacesPassword: given !== null,
            organizationName: null,
            now: new Date(),
          }),
        );
        if (made.kind === "disabled") {
          return reportFailure(io, `User ${email} is disabled or deleted. Use another email address.`, EXIT.failure);
        }
        const shown = made.kind === "created" && given === null ? password : null;
        io.stdout.write(values.json ? toJson(email, made, shown) : describe(email, made, shown));
        return EXIT.ok;
      },
    },
    io,
  );
}

/** Reads standard input and removes the trailing newline that most tools add. */
async function readPassword({ stdin }: OperatorIo): Promise<string> {
  return stdin === undefined ? "" : (await text(stdin)).replace(/\r?\n$/, "");
}

type Made = Exclude<MadeAdministrator, { kind: "disabled" }>;

function toJson(email: string, made: Made, password: string | null): string {
  return `${JSON.stringify({ outcome: made.kind, userId: made.userId, email, password })}\n`;
}

function describe(email: string, { kind, userId }: Made, password: string | null): string {
  const done = {
    created: `✓ Created administrator ${email} (user ${userId})`,
    promoted: `✓ ${email} is now an administrator (user ${userId})`,
    was_one: `✓ ${email} is already an administrator (user ${userId})`,
  }[kind];
  return password === null ? `${done}\n` : `${done}\n  password  ${password}   (shown only once)\n`;
}
