import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "@tollgate/db/connect.ts";
import { removeAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import { startUpstream, type Upstream } from "../upstream/start-upstream.ts";
import { type Engines, startEngines } from "./engines.ts";
import { addTenants, type Tenant } from "./tenants.ts";
import { Tollgate, type TollgateSettings } from "./tollgate.ts";

const RECLAIM_AFTER_SECONDS = 900;
const VERIFY_LIMIT_MS = 120_000;

/**
 * Everything that a cell can break, and the tools to observe the damage. No part of the stage is shared with other
 * runs.
 */
export interface Stage {
  readonly folder: string;
  readonly engines: Engines;
  readonly upstream: Upstream;
  readonly tollgate: Tollgate;
  readonly tenants: readonly Tenant[];
  /** Connection that can read everything. */
  readonly ledger: Database;
  /** Connection that creates organizations and grants credit. */
  readonly platform: Database;
  /** Number of processes that have been killed with SIGKILL. */
  kills: number;
  /** Stops everything gracefully. */
  stop(): Promise<void>;
}

/** Changes that another suite makes to the stage. */
export interface StageChanges {
  readonly settings?: Partial<TollgateSettings>;
  /** Number of organizations in the standard load; optional. */
  readonly organizations?: number;
}

/** Starts the whole stage in its own folder. */
export async function startStage(isKept: boolean, changes: StageChanges = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-chaos-"));
  if (!isKept) removeAtExit(folder);
  const count = { kills: 0 };
  const onKill = (processes: number) => {
    count.kills += processes;
  };
  const [engines, upstream] = await Promise.all([startEngines(folder, onKill), startUpstream(folder)]);
  const journalFolder = join(folder, "journal");
  mkdirSync(journalFolder);
  const settings = {
    databaseUrl: engines.databaseUrl,
    redisUrl: engines.redisUrl,
    natsUrl: engines.natsUrl,
    upstreamUrl: upstream.url,
    wildUrl: upstream.wildUrl,
    admission: "positive",
    reclaimAfterSeconds: RECLAIM_AFTER_SECONDS,
    journalFolder,
    nodeOptions: "",
    maxInFlight: null,
    ...changes.settings,
  } as const;
  const tollgate = await Tollgate.create(join(folder, "tollgate"), settings, onKill);
  await tollgate.start();
  const pool = { connectionString: engines.databaseUrl, poolSize: 2, applicationName: "chaos" };
  const ledger = connect({ ...pool, role: "tollgate_worker", statementLimitMs: VERIFY_LIMIT_MS });
  const platform = connect({ ...pool, role: "tollgate_platform", statementLimitMs: VERIFY_LIMIT_MS });
  const tenants = await addTenants(platform, changes.organizations);
  return {
    folder,
    engines,
    upstream,
    tollgate,
    tenants,
    ledger,
    platform,
    get kills() {
      return count.kills;
    },
    set kills(kills) {
      count.kills = kills;
    },
    stop: async () => {
      await Promise.all([ledger.destroy(), platform.destroy()]);
      const { gateways, platform: managed, single, workers } = tollgate;
      await Promise.all([gateways, managed, single, ...workers].map((program) => program.stop()));
      const { postgres, redis, log } = engines;
      await Promise.all([postgres.stop("SIGINT"), ...[redis, ...log, upstream.program].map((each) => each.stop())]);
    },
  };
}
