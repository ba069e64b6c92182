import { loadCatalogue } from "@tollgate/catalogue/catalogue.ts";
import { connect } from "@tollgate/db/connect.ts";
import { findKeyByHash } from "@tollgate/db/keys.ts";
import { listenForNotices } from "@tollgate/db/notices.ts";
import { findTeam } from "@tollgate/db/teams.ts";
import { CachedKeyDirectory } from "@tollgate/gateway/adapters/key-directory.ts";
import { Gateway, type ListenTarget } from "@tollgate/gateway/app.ts";
import type { UsageRecorder } from "@tollgate/gateway/pipeline/record-usage.ts";
import { prepareTokenCounting } from "@tollgate/gateway/tokens/count-text.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { createDatabaseProbe } from "./probe-database.ts";
import { type AccountingStart, startAccounting } from "./start-accounting.ts";

export interface RunningGateway {
  readonly port: number;
  reload(settings: Settings): Promise<void>;
  /** Says that it is not ready any more, and goes on as before. */
  announceLeaving(): void;
  /** Lets running calls end, then closes everything that was opened. */
  stop(drainTimeoutMs: number, othersListen?: boolean): Promise<void>;
}

export interface GatewayStart extends Omit<AccountingStart, "settings"> {
  readonly settings: Settings;
  readonly target: ListenTarget;
  readonly recorder: UsageRecorder | null;
}

const KEY_POOL_SIZE = 10;

/** Wires a gateway to its database and its journal, and starts it. */
export async function startGateway(start: GatewayStart): Promise<RunningGateway> {
  const { connectionString, logger } = start;
  let { settings } = start;
  prepareTokenCounting();
  const db = connect({
    connectionString,
    role: "tollgate_gateway",
    poolSize: KEY_POOL_SIZE,
    applicationName: "tollgate gateway",
  });
  const keys = new CachedKeyDirectory(
    (hash) => findKeyByHash(db, hash),
    () => performance.now(),
  );
  keys.setMasterKey(settings.general.masterKey);
  const accounting = await startAccounting({ ...start, settings: () => settings });
  const notices = listenForNotices(
    connectionString,
    (notice) => {
      keys.evict(notice);
      accounting.hear(notice);
    },
    (error) => logger.warn("change notices were interrupted", { error }),
  );
  const gateway = await Gateway.create({
    settings,
    catalogue: loadCatalogue(),
    keys,
    findTeam: (id) => findTeam(db, id),
    accounting: accounting.parts,
    recorder: start.recorder,
    database: createDatabaseProbe(db),
    onUnexpected: (error, callId) => logger.error("a call failed unexpectedly", { error, callId }),
  });
  const port = await gateway.listen(start.target);
  return {
    port,
    reload: async (next) => {
      await gateway.reload(next);
      settings = next;
      keys.setMasterKey(next.general.masterKey);
    },
    announceLeaving: () => gateway.announceLeaving(),
    stop: async (drainTimeoutMs, othersListen) => {
      await gateway.drain(drainTimeoutMs, othersListen);
      await accounting.stop();
      await notices.close();
      await db.destroy();
    },
  };
}
