import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { findLastEdition } from "@tollgate/db/catalog/editions.ts";
import { listCatalogModels } from "@tollgate/db/catalog/models.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { loadServeSettings, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { DeploymentPricing, OperatorIo } from "../operator-io.ts";

/** Options that all price commands share. `PRICE_OPTIONS_USAGE` is the help text. */
export const PRICE_OPTIONS = { config: { type: "string" }, ...LEDGER_OPTIONS } as const;
export const PRICE_OPTIONS_USAGE = `  --config FILE          Settings file (default: TOLLGATE_CONFIG, then ./tollgate.yaml)
${LEDGER_OPTIONS_USAGE}`;

const DATA_FOLDER = ".tollgate";

/** What price commands work with. */
export interface PriceContext {
  readonly db: Database;
  readonly settings: Settings;
  /** The edition that is in effect on the server. */
  readonly catalog: Catalog;
  /** Number of the edition that was applied last; null if none was. The catalog is this edition or a later one. */
  readonly lastEditionId: bigint | null;
  /** Deployments from the settings and from the database. */
  readonly deployments: readonly DeploymentSettings[];
}

interface PriceCommand {
  readonly config: string | null;
  readonly data: string | null;
  readonly work: (context: PriceContext) => Promise<number>;
}

/** Runs a command with the server's settings, its database, and the catalog edition that is in effect. */
export function withPrices({ config, data, work }: PriceCommand, io: OperatorIo): Promise<number> {
  const env: NodeJS.ProcessEnv = config === null ? io.env : { ...io.env, TOLLGATE_CONFIG: resolve(io.cwd, config) };
  return withLedger(
    {
      data,
      role: "tollgate_platform",
      work: async ({ db }) => {
        const settings = loadSettingsOf(data, config, env, io);
        // Read before the catalog, so that an edition that is applied in between differs from this one.
        const lastEditionId = (await findLastEdition(db))?.id ?? null;
        const catalog = await io.apps.gateway.openCatalog(db, settings.prices);
        return work({ db, settings, catalog, lastEditionId, deployments: await listDeployments(db, settings, io) });
      },
    },
    { ...io, env },
  );
}

/** Returns all deployments of a server. Models from the database are listed after those from the settings. */
export async function listDeployments(
  db: Database,
  settings: Settings,
  { apps }: Pick<OperatorIo, "apps">,
): Promise<readonly DeploymentSettings[]> {
  const stored = (await listCatalogModels(db)).filter(({ status }) => status !== "disabled");
  return [...settings.deployments, ...stored.map((model) => apps.gateway.toDeployment(model))];
}

/** Returns the deployments whose price comes from a model of the catalog, by model ID, with their public names. */
export function namesByModel(
  { deployments, settings }: Pick<PriceContext, "deployments" | "settings">,
  catalog: Catalog,
  { apps }: Pick<OperatorIo, "apps">,
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  const add = (model: string, name: string) => names.set(model, [...(names.get(model) ?? []), name]);
  for (const deployment of deployments) {
    const { listed, isFromCatalog }: DeploymentPricing = apps.gateway.pricingOf(deployment, catalog, settings.gateway);
    if (isFromCatalog) for (const { id } of listed) add(id, deployment.modelName);
  }
  return names;
}

/** A development instance reads only settings files that are passed explicitly, like `tollgate dev`. */
function loadSettingsOf(data: string | null, config: string | null, env: NodeJS.ProcessEnv, io: OperatorIo): Settings {
  const { developmentDefaults } = io.apps.server;
  const isDev = data !== null || (!env.DATABASE_URL && existsSync(resolve(io.cwd, DATA_FOLDER)));
  const named = isDev && config === null ? [] : settingsFiles(env);
  const files = isDev ? [developmentDefaults(env), ...named] : named;
  return loadServeSettings(files, env, io.apps.gateway.knownProviders);
}
