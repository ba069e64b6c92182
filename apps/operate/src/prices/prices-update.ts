import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { type Catalog, openCatalog, readBuiltInCatalog } from "@tollgate/catalog/catalog.ts";
import { compareEditionNames, compareEditions, type ModelChange } from "@tollgate/catalog/compare-editions.ts";
import { findCatalogProblem } from "@tollgate/catalog/find-catalog-problem.ts";
import { readEdition, verifyingKey } from "@tollgate/catalog/signed-catalog.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { addEdition, listConfirmations, lockLastEdition, type NewEdition } from "@tollgate/db/catalog/editions.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { formatExactJson } from "../ledger/exact-json.ts";
import type { OperatorIo } from "../operator-io.ts";
import { askYes } from "./ask-yes.ts";
import { EditionUnreadable, fetchEdition } from "./fetch-edition.ts";
import { describeChanges } from "./price-report.ts";
import { namesByModel, PRICE_OPTIONS, PRICE_OPTIONS_USAGE, type PriceContext, withPrices } from "./with-prices.ts";

const USAGE = `Show which prices a catalog edition changes, and apply it while the server runs.

  tollgate prices update https://example.com/catalog.signed
  tollgate prices update ./catalog.signed --yes

  --dry-run              Show the differences only
  --yes                  Apply without asking
  --all                  Show all changed models, not only those that deployments use
  --unsigned             Accept a file without a signature; the audit log records it
  --older                Accept an edition that is older than the one in effect or the built-in one, and keep it until
                         the next update
${PRICE_OPTIONS_USAGE}

Requests that are in progress keep their price. Earlier editions stay in the database: tollgate prices history.
`;

/** `tollgate prices update`: verifies a catalog edition, shows its differences, asks, and applies it. */
export async function pricesUpdate(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      unsigned: { type: "boolean", default: false },
      older: { type: "boolean", default: false },
      ...PRICE_OPTIONS,
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const [place] = positionals;
  if (place === undefined || positionals.length > 1) {
    return reportFailure(io, `Expected one file or URL.\n\n${USAGE}`, EXIT.usage);
  }
  const options = { ...values, isDryRun: values["dry-run"] };
  return withPrices(
    {
      config: values.config ?? null,
      data: values.data ?? null,
      work: async (context) => {
        try {
          return await update(place, options, context, io);
        } catch (error) {
          if (!(error instanceof EditionUnreadable)) throw error;
          return reportFailure(io, error.message, EXIT.failure);
        }
      },
    },
    io,
  );
}

/** Maximum stored length of a file or URL. */
const MAX_ORIGIN = 2_000;

/** Returns a file or URL as it is stored, without the password or token that a URL can contain. */
function recordedOrigin(place: string): string {
  if (!/^https?:\/\//.test(place)) return place;
  const { origin, pathname } = new URL(place);
  return origin + pathname;
}

interface UpdateOptions {
  readonly isDryRun: boolean;
  readonly yes: boolean;
  readonly all: boolean;
  readonly unsigned: boolean;
  readonly older: boolean;
  readonly json: boolean;
}

async function update(place: string, options: UpdateOptions, context: PriceContext, io: OperatorIo): Promise<number> {
  const { db, settings, catalog } = context;
  const read = readEdition(await fetchEdition(place, io.cwd), verifyingKey(settings.prices.publicKey));
  if (read.kind === "invalid") return reportFailure(io, `${place} is not used: ${read.reason}.`, EXIT.failure);
  if (read.kind === "unsigned" && !options.unsigned) {
    return reportFailure(io, `${place} is not signed. To use it anyway, add --unsigned.`, EXIT.usage);
  }
  const problem = findCatalogProblem(read.text);
  if (problem !== null) return reportFailure(io, `${place} is not used: ${problem}.`, EXIT.failure);
  const confirmations = new Map((await listConfirmations(db)).map((one) => [one.model, one]));
  const next = openCatalog(read.text, { rule: settings.prices.disputed, confirmations });
  const newest = newestOf(catalog.version, openCatalog(readBuiltInCatalog()).version);
  const isOlder = compareEditionNames(next.version, newest) < 0;
  if (isOlder && !options.older) {
    const message = `${place} has the edition ${next.version}, which is older than ${newest}. To use it anyway, add --older.`;
    return reportFailure(io, message, EXIT.usage);
  }
  const sha256 = createHash("sha256").update(read.text).digest("hex");
  const changes = compareEditions(catalog, next);
  const used = namesByModel(context, next, io);
  const signedBy = read.kind === "signed" ? read.keyId : null;
  report(place, { catalog, next, changes, used, signedBy, sha256 }, options, io);
  if (options.isDryRun) return EXIT.ok;
  if (!options.yes && !(await askYes(io, `Apply edition ${next.version}?`))) {
    return reportFailure(io, "Not applied. To apply without a question, add --yes.", EXIT.usage);
  }
  const meanwhile = await apply(
    {
      edition: next.version,
      pricesAsOf: next.pricesAsOf,
      sha256,
      content: read.text,
      signedBy,
      origin: recordedOrigin(place).slice(0, MAX_ORIGIN),
      isPinned: isOlder,
      appliedBy: "operator",
    },
    { before: catalog.version, changed: changes.length },
    context,
  );
  if (meanwhile !== null) {
    const message = `Not applied: edition ${meanwhile} was applied meanwhile, so these differences no longer hold. Run the command again.`;
    return reportFailure(io, message, EXIT.failure);
  }
  if (!options.json) io.stdout.write(`  ✓ edition ${next.version} is in effect for new requests\n`);
  return EXIT.ok;
}

/** Returns the later of two editions. The one in effect is older than the built-in one if an operator pinned it. */
function newestOf(inEffect: string, builtIn: string): string {
  return compareEditionNames(inEffect, builtIn) < 0 ? builtIn : inEffect;
}

/** Applies an edition. Returns the name of another edition that was applied since the comparison; null if there is none. */
async function apply(
  edition: NewEdition,
  { before, changed }: { readonly before: string; readonly changed: number },
  { db, lastEditionId }: PriceContext,
): Promise<string | null> {
  const { content: _, appliedBy: __, ...recorded } = edition;
  return runAsAdministrator(db, async (transaction) => {
    const last = await lockLastEdition(transaction);
    if (last !== null && last.id !== lastEditionId) return last.edition;
    await addEdition(transaction, edition);
    await writeAudit(transaction, {
      organizationId: null,
      actor: { type: "system", id: "operator" },
      action: "catalog.updated",
      target: { type: "catalog", id: edition.edition },
      before: { edition: before },
      after: { ...recorded, isSigned: edition.signedBy !== null, changedModels: changed },
    });
    return null;
  });
}

interface Difference {
  readonly catalog: Catalog;
  readonly next: Catalog;
  readonly changes: readonly ModelChange[];
  readonly used: ReadonlyMap<string, readonly string[]>;
  readonly signedBy: string | null;
  readonly sha256: string;
}

function report(place: string, difference: Difference, options: UpdateOptions, io: OperatorIo): void {
  const { catalog, next, changes, used, signedBy, sha256 } = difference;
  if (options.json) {
    const shown = changes.map((change) => ({ ...change, deployments: used.get(change.model) ?? [] }));
    const [before, after] = [catalog, next].map(({ version, pricesAsOf }) => ({ edition: version, pricesAsOf }));
    io.stdout.write(`${formatExactJson({ origin: place, signedBy, sha256, before, after, changes: shown })}\n`);
    return;
  }
  const signature = signedBy === null ? "not signed" : `signed with the key ${signedBy}`;
  io.stdout.write(
    `  edition ${catalog.version} (${catalog.pricesAsOf}) → ${next.version} (${next.pricesAsOf}), ${signature}\n\n` +
      describeChanges(changes, used, options.all),
  );
}
