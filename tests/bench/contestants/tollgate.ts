import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Database } from "@tollgate/db/connect.ts";
import { NANO_PER_USD } from "@tollgate/domain/money.ts";
import { startServe } from "@tollgate/testkit/processes/start-instance.ts";
import manifest from "../../../package.json" with { type: "json" };
import { undoAtEnd } from "../processes/clean-up.ts";
import { cores } from "../processes/cores.ts";
import { moveEnginesToLoad } from "../processes/move-engines.ts";
import { pinnedCommand } from "../processes/start-pinned.ts";
import { groupModel, heldSuffix, longSuffix, upstreamModel } from "../wire/chat-request.ts";
import type { StartContestant } from "./contestant.ts";

const ownRoot = join(import.meta.dirname, "../../..");

/**
 * Credit far beyond what any run uses, so that the gateway computes holds and limits for every call but refuses no
 * call.
 */
const CREDIT = 1_000_000n * NANO_PER_USD;
/** Concurrency limit above the default, because the benchmark opens more concurrent streams. */
const MANY_AT_ONCE = 20_000;
const LIMITS = { rpm: 1_000_000_000, tpm: 2_000_000_000 };

/**
 * Starts Tollgate as its users do: one process with its own database, a real key, and billing, so that every call is
 * held, limited, journaled, and settled.
 */
export const startTollgate: StartContestant = startTollgateWith("");

/** Like `startTollgate`, with Node options such as a profiler. */
export function startTollgateWith(nodeOptions: string): StartContestant {
  return startVariant({ name: "tollgate", nodeOptions, hasHolds: true });
}

/** Like `startTollgate`, without billing. No credit is held, but everything else is the same. */
export const startWithoutHolds: StartContestant = startVariant({ name: "no holds", nodeOptions: "", hasHolds: false });

/** Like `startTollgate`, from another checkout with its own engines and database. */
export function startTollgateFrom(root: string): StartContestant {
  return startVariant({ name: "the other checkout", nodeOptions: "", hasHolds: true, root });
}

/** Like `startTollgate`, with a limit on concurrent calls. */
export function startTollgateWithLimit(maxInFlight: number): StartContestant {
  return startVariant({ name: "tollgate", nodeOptions: "", hasHolds: true, maxInFlight });
}

/** The TLS files, and the upstream's TLS port. */
export interface TlsStage {
  readonly authorityFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly upstreamPort: number;
}

/** Like `startTollgate`, with TLS to clients and to the upstream. */
export function startTollgateWithTls(tls: TlsStage): StartContestant {
  return startVariant({ name: "tollgate over TLS", nodeOptions: "", hasHolds: true, tls });
}

interface Variant {
  readonly name: string;
  readonly nodeOptions: string;
  readonly hasHolds: boolean;
  readonly maxInFlight?: number;
  readonly root?: string;
  readonly tls?: TlsStage;
}

function startVariant({ name, nodeOptions, hasHolds, maxInFlight, tls, root = ownRoot }: Variant): StartContestant {
  return async (ports, directory) => {
    execFileSync(join(root, "scripts/engines"), ["up", "--quiet"]);
    moveEnginesToLoad(root);
    const { cloneDatabase, readEnginePorts, addTenant } = await importTestkit(root);
    const database = await cloneDatabase();
    const dropDatabase = undoAtEnd(database.drop);
    const platform = database.connect("tollgate_platform");
    const tenant = await addTenant(platform, { credit: CREDIT, key: { limits: LIMITS } });

    const upstream = tls ? `https://127.0.0.1:${tls.upstreamPort}` : `http://127.0.0.1:${ports.upstream}`;
    const url = `${tls ? "https" : "http"}://127.0.0.1:${ports.own}`;
    const tollgate = await startServe({
      command: [...pinnedCommand(cores.contestant), join(root, "bin/tollgate")],
      folder: join(directory, `tollgate-${ports.own}`),
      settings: writeSettings(upstream, hasHolds, maxInFlight),
      databaseUrl: database.connectionString,
      port: ports.own,
      env: {
        REDIS_URL: `redis://127.0.0.1:${readEnginePorts().redis}`,
        TOLLGATE_BASE_URL: url,
        TOLLGATE_SECRET_KEY: randomBytes(32).toString("hex"),
        TOLLGATE_LOG_LEVEL: "info",
        ...(tls && {
          TOLLGATE_TLS_CERT: tls.certificateFile,
          TOLLGATE_TLS_KEY: tls.keyFile,
          TOLLGATE_CA_FILE: tls.authorityFile,
        }),
        ...(nodeOptions === "" ? {} : { NODE_OPTIONS: nodeOptions }),
      },
    });
    const stop = undoAtEnd(async () => {
      await tollgate.stop();
    });
    return {
      name,
      version: manifest.version,
      url,
      headers: { authorization: `Bearer ${tenant.apiKey}` },
      rewritesModel: true,
      addQuietCallers: (count) => addQuietCallers(addTenant, platform, count),
      pids: () => tollgate.program.pids(),
      async stop() {
        await stop();
        await dropDatabase();
      },
    };
  };
}

type Testkit = Awaited<ReturnType<typeof importTestkit>>;

/** Imports the test kit from the other checkout, because that checkout's database schema may be older. */
async function importTestkit(root: string) {
  const source = join(root, "packages/testkit/src");
  const [database, ports, tenants] = await Promise.all([
    import(join(source, "database.ts")) as Promise<typeof import("@tollgate/testkit/database.ts")>,
    import(join(source, "engine-ports.ts")) as Promise<typeof import("@tollgate/testkit/engine-ports.ts")>,
    import(join(source, "tenants.ts")) as Promise<typeof import("@tollgate/testkit/tenants.ts")>,
  ]);
  return {
    cloneDatabase: database.cloneDatabase,
    readEnginePorts: ports.readEnginePorts,
    addTenant: tenants.addTenant,
  };
}

/** Creates keys for organizations that have made no calls. */
async function addQuietCallers(
  addTenant: Testkit["addTenant"],
  platform: Database,
  count: number,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) keys.push((await addTenant(platform, { credit: CREDIT })).apiKey);
  return keys;
}

/**
 * Writes settings with three model groups on the fake upstream. All groups have prices, so that every call is also
 * priced.
 */
function writeSettings(upstreamOrigin: string, hasHolds: boolean, maxInFlight?: number): string {
  const deployments = ["", heldSuffix, longSuffix].map((suffix) => ({
    model_name: groupModel + suffix,
    litellm_params: {
      model: `openai/${upstreamModel}${suffix}`,
      api_base: `${upstreamOrigin}/v1`,
      api_key: "sk-upstream",
      input_cost_per_token: 2.5e-6,
      output_cost_per_token: 1e-5,
    },
  }));
  // JSON is valid YAML.
  const general = { general_settings: { global_max_parallel_requests: maxInFlight ?? MANY_AT_ONCE } };
  const billing = { provider: hasHolds ? "fake" : "off" };
  const simulated = { model_name: "sim/*", litellm_params: { model: "sim/*" } };
  return JSON.stringify({ model_list: [...deployments, simulated], billing, ...general }, null, 2);
}
