import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findPerson } from "@tollgate/db/import/import-person.ts";
import { listWithoutCredit } from "@tollgate/db/import/list-without-credit.ts";
import { type LitellmRows, NotLitellm, readLitellm } from "@tollgate/db/import/read-litellm.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { withoutPassword } from "@tollgate/db/without-password.ts";
import { makePassword } from "@tollgate/domain/identity/make-password.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, type OpenLedger, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { convertSettings } from "./convert-settings.ts";
import { countOutcomes, describeImport, type ImportReport } from "./describe-import.ts";
import { createModelBringer } from "./import-model.ts";
import { planImport } from "./plan-import.ts";
import { type ImportLine, runPlan } from "./run-plan.ts";

const DEFAULT_OUT = "tollgate.yaml";
const DEFAULT_REPORT = "litellm-import.json";
const DEFAULT_ORGANIZATION = "Imported from LiteLLM";

const USAGE = `Import settings, models, organizations, teams, users, and keys from a LiteLLM proxy. Client keys keep working.

  tollgate import litellm --config config.yaml
  tollgate import litellm --database-url postgres://…/litellm            # dry run
  tollgate import litellm --database-url postgres://…/litellm --apply

  --config FILE          LiteLLM settings file to convert
  --out FILE             Converted settings file (default: ${DEFAULT_OUT}); a file with different contents is not overwritten
  --database-url URL     LiteLLM database, opened read-only (default: LITELLM_DATABASE_URL)
  --owner EMAIL          User who owns the organizations (default: no owner; administrators can see them)
  --organization NAME    Organization for teams and keys without one (default: "${DEFAULT_ORGANIZATION}")
  --dry-run              Show what would be imported without making changes; the default without --apply
  --apply                Import; a repeated import updates only what differs
  --report FILE          Write every record as JSON (default with --apply: ${DEFAULT_REPORT})
${LEDGER_OPTIONS_USAGE}

  LITELLM_SALT_KEY       Decrypts models stored in LiteLLM's database; their keys are re-encrypted with TOLLGATE_SECRET_KEY

  The exit code is 8 if a record could not be imported. Credit and passwords are not imported.
`;

/**
 * `tollgate import litellm`: imports a LiteLLM proxy's data. The import is idempotent, and it is a dry run unless
 * `--apply` is given.
 */
export async function importLitellm(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: { type: "string" },
      out: { type: "string", default: DEFAULT_OUT },
      "database-url": { type: "string" },
      owner: { type: "string" },
      organization: { type: "string", default: DEFAULT_ORGANIZATION },
      "dry-run": { type: "boolean", default: false },
      apply: { type: "boolean", default: false },
      report: { type: "string" },
      ...LEDGER_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const { config, out, apply, organization } = values;
  const address = values["database-url"] ?? io.env.LITELLM_DATABASE_URL;
  if (apply && values["dry-run"]) return reportFailure(io, "--apply and --dry-run cannot be combined.", EXIT.usage);
  if (config === undefined && address === undefined) {
    return reportFailure(
      io,
      `No source specified. Add --config FILE, --database-url URL, or both.\n\n${USAGE}`,
      EXIT.usage,
    );
  }
  const lines: ImportLine[] = [];
  if (config !== undefined) {
    const settings = convertSettings(config, out, !apply, io);
    if (settings.kind === "refused") {
      io.stderr.write(settings.text);
      return EXIT.usage;
    }
    if (!values.json) io.stdout.write(`${settings.report}\n`);
    lines.push(settings.line);
  }
  const finish = (report: ImportReport): number => {
    const file = values.report ?? (apply ? DEFAULT_REPORT : null);
    const data = { dryRun: report.isDry, counts: countOutcomes(report.lines), ...report };
    if (file !== null) writeFileSync(resolve(io.cwd, file), `${JSON.stringify(data, null, 2)}\n`);
    io.stdout.write(values.json ? `${JSON.stringify(data)}\n` : describeImport(report));
    return data.counts.failed > 0 ? EXIT.someFailed : EXIT.ok;
  };
  if (address === undefined) return finish({ isDry: !apply, lines, withoutCredit: [] });
  const rows = await readRows(address, io);
  if (rows === null) return EXIT.temporary;
  const settings = { organization, owner: values.owner ?? null, isDry: !apply };
  const work = async (ledger: OpenLedger): Promise<number> => {
    const brought = await bring(ledger, rows, settings, io);
    return brought === null ? EXIT.notFound : finish({ ...brought, lines: [...lines, ...brought.lines] });
  };
  return withLedger({ data: values.data ?? null, role: "tollgate_platform", work }, io);
}

async function readRows(address: string, io: OperatorIo): Promise<LitellmRows | null> {
  try {
    return await readLitellm(address);
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof NotLitellm ? message : `Could not read LiteLLM's database: ${message}`;
    reportFailure(io, `${withoutPassword(address)}: ${problem}`, EXIT.temporary);
    return null;
  }
}

async function bring(
  { db }: OpenLedger,
  rows: LitellmRows,
  { organization, owner, isDry }: { organization: string; owner: string | null; isDry: boolean },
  io: OperatorIo,
): Promise<ImportReport | null> {
  const ownerId = owner === null ? null : await runAsAdministrator(db, (transaction) => findOwner(transaction, owner));
  if (owner !== null && ownerId === null) {
    reportFailure(
      io,
      `No active user has the email address ${owner}. Create the user first: tollgate admin create --email …`,
      EXIT.notFound,
    );
    return null;
  }
  const now = new Date();
  const plan = planImport(rows, organization, io.env.LITELLM_SALT_KEY ?? io.env.LITELLM_MASTER_KEY ?? null);
  // All imported users share one random password, which is never shown or stored.
  const passwordHash = await io.apps.platform.hashPassword(makePassword());
  const progress = showProgress(io);
  const brought = await runPlan(db, plan, {
    isDry,
    ownerId,
    passwordHash,
    bringModel: await createModelBringer(io, now),
    createKey: (transaction, key) => io.apps.platform.createKey(transaction, key, now),
    now,
    onProgress: progress,
  });
  const left = plan.left.map(
    ({ kind, name, reason }): ImportLine => ({
      kind,
      name,
      source: name,
      id: null,
      outcome: "skipped",
      detail: reason,
      notes: [],
      warnings: [],
    }),
  );
  const ids = plan.organizations.map(({ wanted }) => wanted.id);
  const paid = await runAsAdministrator(db, (transaction) => listWithoutCredit(transaction, ids));
  const withoutCredit = plan.organizations.filter(({ wanted }) => paid.has(wanted.id)).map(({ wanted }) => wanted.name);
  return { isDry, lines: [...brought, ...left], withoutCredit };
}

async function findOwner(...[transaction, owner]: [Parameters<typeof findPerson>[0], string]): Promise<number | null> {
  const email = normalizeEmail(owner);
  const person = email === null ? null : await findPerson(transaction, email);
  return person?.status === "active" ? person.id : null;
}

const LINE_EVERY_MS = 5_000;

/** Prints a progress line every few seconds during long imports. */
function showProgress(io: OperatorIo): (done: number, all: number) => void {
  let shownAtMs = performance.now();
  return (done, all) => {
    if (performance.now() - shownAtMs < LINE_EVERY_MS) return;
    shownAtMs = performance.now();
    io.stderr.write(`  ${done} of ${all}\n`);
  };
}
