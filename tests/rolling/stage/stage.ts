import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cloneDatabase, createEmptyDatabase, type TestDatabase } from "../../../packages/testkit/src/database.ts";
import { readEnginePorts } from "../../../packages/testkit/src/engine-ports.ts";
import { describeNats } from "../../../scripts/engines-lib/nats.ts";
import { choosePort } from "../../chaos/stage/choose-port.ts";
import { removeAtExit } from "../../chaos/stage/clean-up.ts";
import { Program } from "../../chaos/stage/program.ts";
import { addCustomer } from "./add-customer.ts";
import { Balancer, type BalancerTimes } from "./balancer.ts";
import { type Installation, Instance } from "./instance.ts";
import type { Release } from "./release.ts";

export interface StageOptions {
  /** Seconds between not being ready and refusing calls; null: as a release has it. */
  readonly graceSeconds: number | null;
  readonly drainSeconds: number | null;
  readonly times: BalancerTimes;
  /** Of the gateways, and of the worker. */
  readonly gateways: readonly Release[];
  readonly worker: Release;
  /** Whether the first release that starts makes the schema; otherwise it is this tree's. */
  readonly startsEmpty?: boolean;
}

/** An installation under test: gateways behind a balancer, a worker, a log and a database of its own. */
export interface Stage {
  readonly url: string;
  readonly apiKey: string;
  readonly database: TestDatabase;
  readonly balancer: Balancer;
  readonly gateways: readonly Instance[];
  readonly worker: Instance;
  /** Another gateway that is known to the balancer and not started; for releases that join. */
  readonly spare: Instance;
  close(): Promise<void>;
}

const root = resolve(import.meta.dirname, "../../..");

/** Starts everything and resolves when calls can be made. */
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
  // One after the other, because the first makes the schema where there is none.
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

/** A log of its own: whoever else uses one takes what is meant for this worker. */
async function startLog(parent: string): Promise<{ readonly program: Program; readonly url: string }> {
  const folder = join(parent, "log");
  mkdirSync(folder);
  const port = await choosePort();
  const program = new Program({
    name: "log",
    folder,
    launch: describeNats("log", folder, port, root).prepare,
    probe: () => accepts(port),
    onKill: () => {},
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
