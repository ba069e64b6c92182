import { type Catalog, loadCatalog, openCatalog, readBuiltInCatalog, useCatalog } from "@tollgate/catalog/catalog.ts";
import { compareEditionNames } from "@tollgate/catalog/compare-editions.ts";
import { findCatalogProblem } from "@tollgate/catalog/find-catalog-problem.ts";
import type { DisputePolicy } from "@tollgate/catalog/settle-disputes.ts";
import {
  type AppliedEdition,
  findLastEdition,
  listConfirmations,
  readEditionText,
  type StoredConfirmation,
} from "@tollgate/db/catalog/editions.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { PriceSettings } from "@tollgate/runtime/settings/settings.ts";

/** Opens the edition that is in effect on a server, with its settings and its operators' decisions. */
export async function openServerCatalog(db: Database, settings: Pick<PriceSettings, "disputed">): Promise<Catalog> {
  const [last, confirmations] = await Promise.all([findLastEdition(db), listConfirmations(db)]);
  const policy = policyOf(settings, confirmations);
  const text = await readEffective(db, last);
  return openCatalog(text ?? readBuiltInCatalog(), policy);
}

interface FollowerParts {
  readonly db: Database;
  readonly settings: () => Pick<PriceSettings, "disputed">;
  readonly logger: Pick<Logger, "info" | "error">;
}

/**
 * Keeps this process's catalog in sync with the database and the settings. Returns a function that reads both and
 * replaces the catalog if something changed.
 */
export function createCatalogFollower({ db, settings, logger }: FollowerParts): () => Promise<void> {
  // A process starts with the built-in edition and the default rule.
  let inUse = stateOf(null, { disputed: "higher" }, []);
  return async () => {
    const [last, confirmations] = await Promise.all([findLastEdition(db), listConfirmations(db)]);
    const state = stateOf(last, settings(), confirmations);
    if (state === inUse) return;
    const text = await readEffective(db, last);
    const problem = text === null ? null : findCatalogProblem(text);
    if (problem === null) {
      useCatalog(openCatalog(text ?? readBuiltInCatalog(), policyOf(settings(), confirmations)));
      logger.info("catalog opened", { edition: loadCatalog().version });
    } else {
      // This can happen after a downgrade. The database keeps the edition for the next upgrade.
      logger.error("cannot use the catalog edition in the database; keeping the previous one", {
        edition: last?.edition ?? "",
        error: new Error(problem),
      });
    }
    inUse = state;
  };
}

/** Returns the text of the edition in effect; null for the built-in one. */
async function readEffective(db: Database, last: AppliedEdition | null): Promise<string | null> {
  if (last === null) return null;
  if (!last.isPinned && compareEditionNames(last.edition, builtInEdition()) < 0) return null;
  return readEditionText(db, last.id);
}

let builtIn: string | undefined;

function builtInEdition(): string {
  builtIn ??= openCatalog(readBuiltInCatalog()).version;
  return builtIn;
}

function stateOf(
  last: AppliedEdition | null,
  { disputed }: Pick<PriceSettings, "disputed">,
  confirmations: readonly StoredConfirmation[],
): string {
  const decided = confirmations.map(({ model, digest, choice }) => `${model} ${digest} ${choice}`);
  return [last?.id ?? "built-in", disputed, ...decided].join("\n");
}

function policyOf(
  { disputed }: Pick<PriceSettings, "disputed">,
  confirmations: readonly StoredConfirmation[],
): DisputePolicy {
  return { rule: disputed, confirmations: new Map(confirmations.map((one) => [one.model, one])) };
}
