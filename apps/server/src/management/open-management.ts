import { connect } from "@tollgate/db/connect.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { Management } from "@tollgate/gateway/management/management.ts";
import { readBookMetrics } from "@tollgate/platform/admin/metrics/read-book-metrics.ts";
import { resolveHost } from "@tollgate/runtime/resolve-host.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { createModelSource } from "../create-model-source.ts";
import { createManagement } from "./create-management.ts";

export interface ManagementStart {
  readonly connectionString: string;
  readonly settings: () => Settings;
  /** Null when nobody configured a secret key. */
  readonly secrets: SecretBox | null;
}

/** Few, and none is opened before somebody manages: a gateway's own work is its calls. */
const POOL_SIZE = 3;
const REPORT_POOL_SIZE = 1;
const STATEMENT_LIMIT_MS = 5_000;
const ACQUIRE_LIMIT_MS = 5_000;

/** Opens the records of the platform to a gateway's management operations, in the platform's role and under its rules. */
export function openManagement({ connectionString, settings, secrets }: ManagementStart): {
  readonly store: Management;
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
  const models = { models: createModelSource(settings), now, secrets, settings: platform, resolveHost };
  return {
    // Over the one connection of reports: however often it is asked for, management goes on.
    writeBookMetrics: () => runAsAdministrator(reportDb, readBookMetrics),
    store: createManagement({ db, reportDb, settings: platform, now, models }),
    close: async () => {
      await Promise.all([db.destroy(), reportDb.destroy()]);
    },
  };
}
