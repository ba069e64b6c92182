import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cloneDatabase, createEmptyDatabase, type TestDatabase } from "../../../packages/testkit/src/database.ts";
import { readEnginePorts } from "../../../packages/testkit/src/engine-ports.ts";
import { choosePort } from "../../../packages/testkit/src/processes/choose-port.ts";
import { removeAtExit } from "../../../packages/testkit/src/processes/clean-up.ts";
import { Program } from "../../../packages/testkit/src/processes/program.ts";
import { describeNats } from "../../../scripts/engines-lib/nats.ts";
import { addCustomer } from "./add-customer.ts";
import { Balancer, type BalancerTimes } from "./balancer.ts";
import { type Installation, Instance } from "./instance.ts";
import type { Release } from "./release.ts";

export interface StageOptions {
  /** Seconds between becoming not ready and refusing calls; null for the release's default. */
  readonly graceSeconds: number | null;
  readonly drainSeconds: number | null;
  readonly times: BalancerTimes;
  /** Releases of the gateways and of the worker. */
  readonly gateways: readonly Release[];
  readonly worker: Release;
  /**
   * True if the database starts empty and the first gateway creates the schema; false if the database starts with this
   * source tree's schema.
   */
  readonly startsEmpty?: boolean;
}

/** System under test: gateways behind a load balancer, a worker, an event log, and a database. */
export interface Stage {
  readonly url: string;
  readonly apiKey: string;
  readonly database: TestDatabase;
  readonly balancer: Balancer;
  readonly gateways: readonly Instance[];
  readonly worker: Instance;
  /** Additional gateway that is configured in the load balancer but not started, for releases that join later. */
  readonly spare: Instance;
  close(): Promise<void>;
}

const root = resolve(import.meta.dirname, "../../..");

/** Starts everything. Resolves when calls can be made. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-rolling-"));
  removeAtExit(folder);
  const database = options.startsEmpty === true ? await createEmptyDatabase() : await cloneDatabase();
  const log = await startLog(folder);
  const installation: Installation = {
    folder,
    databaseUrl: database.connectionString,
    redisUrl: `redis://127.0.0.1:${readEnginePorts().redis}`,
    natsUrl: log.url,
    secretKey: randomBytes(32).toString("hex"),
    graceSeconds: options.graceSeconds,
    drainSeconds: options.drainSeconds,
  };
  const ports: number[] = [];
  for (let index = 0; index <= options.gateways.length; index += 1) ports.push(await choosePort());
  const gateways = options.gateways.map(
    (release, index) => new Instance(installation, `gateway-${index}`, "gateway", ports[index] as number, release),
  );
  const [newest] = options.gateways.slice(-1);
  const spare = new Instance(installation, "spare", "gateway", ports.at(-1) as number, newest as Release);
  const worker = new Instance(installation, "worker", "worker", 0, options.worker);
  // Start the gateways sequentially, because the first one creates the schema if there is none.
  for (const gateway of gateways) await gateway.start();
  await worker.start();
  const apiKey = await addCustomer(database.connectionString);
  const balancerPort = await choosePort();
  const balancer = await Balancer.listen(balancerPort, ports, options.times);
  for (const { port } of gateways) await balancer.awaitReady(port);
  return {
    url: `http://127.0.0.1:${balancerPort}`,
    apiKey,
    database,
    balancer,
    gateways,
    worker,
    spare,
    close: async () => {
      for (const each of [...gateways, spare, worker]) if (each.isRunning) await each.stop();
      balancer.close();
      await log.program.stop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a separate event log, so that no other worker receives this worker's events. */
async function startLog(parent: string): Promise<{ readonly program: Program; readonly url: string }> {
  const folder = join(parent, "log");
  mkdirSync(folder);
  const port = await choosePort();
  const program = new Program({
    name: "log",
    folder,
    launch: describeNats("log", folder, port, root).prepare,
    probe: () => accepts(port),
  });
  await program.start();
  return { program, url: `nats://127.0.0.1:${port}` };
}

function accepts(port: number): Promise<void> {
  return new Promise((resolvePromise, reject) => {
    const socket = connectSocket(port, "127.0.0.1", () => {
      socket.destroy();
      resolvePromise();
    });
    socket.once("error", reject);
  });
}
