import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { ImportOutcome } from "@tollgate/db/import/compare-record.ts";
import { importKey } from "@tollgate/db/import/import-key.ts";
import { importOrganization } from "@tollgate/db/import/import-organization.ts";
import { findPerson, importPerson } from "@tollgate/db/import/import-person.ts";
import { importTeam } from "@tollgate/db/import/import-team.ts";
import type { ImportContext } from "@tollgate/db/import/importer.ts";
import { trySavepoint } from "@tollgate/db/import/try-savepoint.ts";
import { runAsAdministrator, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { DecryptionError } from "./convert-models.ts";
import type { ImportModel } from "./import-model.ts";
import type { ImportPlan } from "./plan-import.ts";

type RecordKind = "model" | "organization" | "team" | "user" | "key";

/** Outcome of importing one record. */
export interface ImportLine {
  readonly kind: string;
  readonly name: string;
  /** ID in LiteLLM; `id` is the Tollgate ID, if the record has one. */
  readonly source: string;
  readonly id: string | null;
  readonly outcome: "created" | "changed" | "unchanged" | "skipped" | "failed";
  readonly detail: string | null;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

interface Step {
  readonly kind: RecordKind;
  readonly name: string;
  readonly source: string;
  readonly id: string | null;
  /** IDs of the records that must be imported first. */
  readonly needs: readonly string[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly bring: (transaction: TenantTransaction) => Promise<ImportOutcome>;
}

interface RunOptions {
  /** If true, reports the changes without making them. */
  readonly isDry: boolean;
  readonly ownerId: number | null;
  readonly passwordHash: string;
  readonly bringModel: ImportModel;
  readonly createKey: ImportContext["createKey"];
  readonly now: Date;
  readonly onProgress: (done: number, all: number) => void;
}

/** Thrown to roll back the transaction of a dry run. */
class Undone extends Error {}

/**
 * Imports each record in its own transaction. A failed record affects only the records that depend on it, and an
 * interrupted import can be resumed. A dry run uses a single transaction that is rolled back.
 */
export async function runPlan(db: Database, plan: ImportPlan, options: RunOptions): Promise<readonly ImportLine[]> {
  const steps = stepsOf(plan, options);
  const lines: ImportLine[] = [];
  const missing = new Map<string, "failed" | "skipped">();
  const take = async (step: Step, attempt: (step: Step) => Promise<ImportOutcome>) => {
    const line = await takeStep(step, missing, attempt);
    if (line.outcome === "failed" || line.outcome === "skipped") missing.set(step.id ?? step.source, line.outcome);
    lines.push(line);
    options.onProgress(lines.length, steps.length);
  };
  if (!options.isDry) {
    for (const step of steps) await take(step, ({ bring }) => runAsAdministrator(db, bring));
    return lines;
  }
  try {
    await runAsAdministrator(db, async (transaction) => {
      for (const step of steps)
        await take(step, ({ kind, bring }) =>
          // Keep only records that other records depend on. Roll back all others immediately to release their locks.
          trySavepoint(transaction, bring, (brought) => brought.kind === "created" && kind !== "key"),
        );
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return lines;
}

async function takeStep(
  step: Step,
  missing: ReadonlyMap<string, "failed" | "skipped">,
  attempt: (step: Step) => Promise<ImportOutcome>,
): Promise<ImportLine> {
  const { kind, name, source, id, notes, warnings } = step;
  const line = { kind, name, source, id, notes, warnings, detail: null };
  const lacks = step.needs.map((needed) => missing.get(needed));
  if (lacks.includes("failed"))
    return { ...line, outcome: "failed", detail: "its organization or team was not imported" };
  if (lacks.includes("skipped")) return { ...line, outcome: "skipped", detail: "its organization or team was skipped" };
  try {
    const brought = await attempt(step);
    if (brought.kind === "kept") return { ...line, outcome: "skipped", detail: brought.reason };
    return { ...line, outcome: brought.kind, detail: brought.kind === "changed" ? brought.fields.join(", ") : null };
  } catch (error) {
    if (!isAboutRecord(error)) throw error;
    return { ...line, outcome: "failed", detail: (error as Error).message };
  }
}

/**
 * Reports whether an error affects only one record. Any other error, such as a lost database connection, ends the
 * import.
 */
function isAboutRecord(error: unknown): boolean {
  if (error instanceof Failure || error instanceof DecryptionError) return true;
  return /^2[23]/.test((error as { code?: string }).code ?? "");
}

function stepsOf(plan: ImportPlan, options: RunOptions): readonly Step[] {
  const { isDry, ownerId, passwordHash, bringModel: importModel, createKey, now } = options;
  const context: ImportContext = {
    now,
    audit: isDry ? async () => {} : writeAudit,
    createKey,
  };
  return [
    ...plan.models.map(
      ({ wanted, name, ...rest }): Step => ({
        ...rest,
        kind: "model",
        name,
        id: null,
        needs: [],
        bring: (transaction) => importModel(transaction, name, wanted),
      }),
    ),
    ...plan.organizations.map(
      ({ wanted, ...rest }): Step => ({
        ...rest,
        kind: "organization",
        name: wanted.name,
        id: wanted.id,
        needs: [],
        bring: (transaction) => importOrganization(transaction, wanted, ownerId, context),
      }),
    ),
    ...plan.teams.map(
      ({ wanted, ...rest }): Step => ({
        ...rest,
        kind: "team",
        name: wanted.name,
        id: wanted.id,
        needs: [wanted.organizationId],
        bring: (transaction) => importTeam(transaction, wanted, context),
      }),
    ),
    ...plan.people.map(
      ({ wanted, ...rest }): Step => ({
        ...rest,
        kind: "user",
        name: wanted.email,
        id: null,
        needs: [...wanted.organizations, ...wanted.teams].map(({ id }) => id),
        bring: (transaction) => importPerson(transaction, wanted, passwordHash, context),
      }),
    ),
    ...plan.keys.map(
      ({ wanted, user, ...rest }): Step => ({
        ...rest,
        kind: "key",
        name: wanted.name,
        id: wanted.id,
        needs: [wanted.organizationId, wanted.teamId],
        bring: async (transaction) => {
          const email = plan.emails.get(user ?? "");
          const person = email === undefined ? null : await findPerson(transaction, email);
          return importKey(transaction, wanted, person?.isProven === true ? person.id : null, context);
        },
      }),
    ),
  ];
}
