import { connect } from "@tollgate/db/connect.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { readBookMetrics } from "@tollgate/platform/admin/metrics/read-book-metrics.ts";
import { createModelSource } from "@tollgate/platform/catalog/create-model-source.ts";
import type { LitellmServices } from "@tollgate/platform/litellm/litellm-operation.ts";
import { resolveHost } from "@tollgate/runtime/resolve-host.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";

interface ManagementStart {
  readonly connectionString: string;
  readonly settings: () => Settings;
  /** Encrypts stored credentials; null if no secret key is configured. */
  readonly secrets: SecretBox | null;
}

/** The connection pools are small and connect only on first use, because a gateway mainly serves calls. */
const POOL_SIZE = 3;
const REPORT_POOL_SIZE = 1;
const STATEMENT_LIMIT_MS = 5_000;
const ACQUIRE_LIMIT_MS = 5_000;

/** Gives management operations access to the platform's records, with the platform's role and rules. */
export function openManagement({ connectionString, settings, secrets }: ManagementStart): {
  readonly services: LitellmServices;
  writeBookMetrics(): Promise<string>;
  close(): Promise<void>;
} {
  const open = (poolSize: number, applicationName: string) =>
    connect({
      connectionString,
      role: "tollgate_platform",
      poolSize,
      applicationName,
      statementLimitMs: STATEMENT_LIMIT_MS,
      acquireLimitMs: ACQUIRE_LIMIT_MS,
    });
  const db = open(POOL_SIZE, "tollgate management");
  const reportDb = open(REPORT_POOL_SIZE, "tollgate management reports");
  const now = () => new Date();
  const platform = () => settings().platform;
  const models = { models: createModelSource(servedModels, settings), now, secrets, settings: platform, resolveHost };
  return {
    // Use the report connections, so that frequent scrapes don't block management operations.
    writeBookMetrics: () => runAsAdministrator(reportDb, readBookMetrics),
    services: { db, reportDb, settings: platform, now, models },
    close: async () => {
      await Promise.all([db.destroy(), reportDb.destroy()]);
    },
  };
}
