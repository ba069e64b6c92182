import type { Catalog } from "@tollgate/catalog/catalog.ts";
import type { DatabaseFacts } from "@tollgate/db/inspect-database.ts";
import type { ReportedCosts } from "@tollgate/db/ledger/compare-reported-costs.ts";
import type { OrganizationPrices } from "@tollgate/db/organizations/price-list.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Apps } from "../operator-io.ts";

/** One line of the report. Every finding that didn't pass has a fix. */
export interface Finding {
  readonly name: string;
  readonly state: "passed" | "warning" | "failed";
  readonly text: string;
  readonly fix: string | null;
}

/** Result of probing the database. */
export type DatabaseProbeResult =
  | { readonly kind: "seen"; readonly facts: DatabaseFacts; readonly isEmbedded: boolean }
  | { readonly kind: "unreachable"; readonly address: string; readonly reason: string }
  | { readonly kind: "not running"; readonly dataDir: string }
  | { readonly kind: "not configured" };

/** Read-only input for the checks, gathered once. */
export interface DoctorContext {
  readonly apps: Apps;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Data directory of the embedded database; null if the database isn't embedded. */
  readonly dataDir: string | null;
  /** Names of the settings files, for the report. */
  readonly files: readonly string[];
  readonly settings: Settings | null;
  /** Reason that the settings could not be loaded. */
  readonly settingsProblem: string | null;
  /** Probes the database on first use. All checks share the result. */
  database(): Promise<DatabaseProbeResult>;
  /** Returns the catalog edition in effect and all deployments, from the database if it can be read. */
  prices(settings: Settings): Promise<PricesInUse>;
}

/** What the price checks compare. */
export interface PricesInUse {
  readonly catalog: Catalog;
  readonly deployments: readonly DeploymentSettings[];
  /** Prices of organizations; empty without a database. */
  readonly priceLists: readonly OrganizationPrices[];
  /** Costs that providers reported for recent requests; empty without a database. */
  readonly reportedCosts: readonly ReportedCosts[];
}

export const passed = (name: string, text: string): Finding => ({ name, state: "passed", text, fix: null });
export const warned = (name: string, text: string, fix: string): Finding => ({ name, state: "warning", text, fix });
export const failed = (name: string, text: string, fix: string): Finding => ({ name, state: "failed", text, fix });
