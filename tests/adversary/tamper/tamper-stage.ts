import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Database } from "@tollgate/db/connect.ts";
import { chainEarlierTransactions } from "@tollgate/db/ledger/chain-earlier-transactions.ts";
import { writeCheckpointFile } from "@tollgate/db/ledger/checkpoints/checkpoint-folder.ts";
import { deliverCheckpoints, registerSinks } from "@tollgate/db/ledger/checkpoints/deliver-checkpoints.ts";
import { writeCheckpoints } from "@tollgate/db/ledger/checkpoints/write-checkpoints.ts";
import { findCheckpoints } from "@tollgate/db/ledger/verify/compare-checkpoints.ts";
import { findBrokenInvariants, type VerifyReport } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { migrate } from "@tollgate/db/migrate.ts";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import { removeAtExit } from "@tollgate/testkit/processes/clean-up.ts";
import { Program } from "@tollgate/testkit/processes/program.ts";
import { describePostgres } from "../../../scripts/engines-lib/postgres.ts";
import { query } from "../../chaos/stage/engines.ts";
import type { Random } from "../../random.ts";
import { type TamperHistory, writeTamperHistory } from "./write-history.ts";

const TEMPLATE = "history";
const OWNER = "tollgate";
/** As in the default settings. */
const RETENTION_DAYS = 400;
/** No case needs a database that survives a crash, and each case copies one. */
const UNSAFE = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off"];

/** A PostgreSQL server of its own, with one history that each case gets a copy of. */
export interface TamperStage {
  readonly history: TamperHistory;
  /** Verifies a copy of the history after a superuser ran these statements in it. */
  verifyAfter(name: string, statements: string): Promise<VerifyReport>;
  stop(): Promise<void>;
}

export async function startTamperStage(isKept: boolean, random: Random): Promise<TamperStage> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tamper-"));
  if (!isKept) removeAtExit(folder);
  const port = await choosePort();
  const urlOf = (user: string, database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`;
  const administrator = urlOf("postgres", "postgres");
  const postgres = new Program({
    name: "postgres",
    folder,
    launch: async () => {
      const { args, ...launch } = await describePostgres(folder, port).prepare();
      return { ...launch, args: [...args, ...UNSAFE] };
    },
    probe: () => query(administrator, "select 1"),
  });
  await postgres.start();
  await query(administrator, `create role ${OWNER} login createdb createrole`);
  await query(administrator, `create database ${TEMPLATE} owner ${OWNER}`);
  await migrate(urlOf(OWNER, TEMPLATE));
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const checkpoints = join(folder, "checkpoints");
  // Signed during the history and after it, as a worker does each minute.
  const sign = () => asWorker(urlOf(OWNER, TEMPLATE), (worker) => signInto(worker, checkpoints, privateKey));
  const history = await writeTamperHistory(urlOf(OWNER, TEMPLATE), random, sign);
  await sign();
  return {
    history,
    verifyAfter: async (name, statements) => {
      const database = name.replaceAll("-", "_");
      await query(administrator, `create database ${database} template ${TEMPLATE} owner ${OWNER} strategy file_copy`);
      try {
        await query(urlOf("postgres", database), `set session_replication_role = replica; ${statements}`);
        return await asWorker(urlOf(OWNER, database), (worker) => verify(worker, checkpoints, publicKey));
      } finally {
        await query(administrator, `drop database ${database} with (force)`);
      }
    },
    stop: async () => {
      await postgres.stop("SIGINT");
    },
  };
}

/** Chains, signs, and delivers, as a worker does. */
async function signInto(worker: Database, folder: string, key: KeyObject): Promise<void> {
  await chainEarlierTransactions(worker);
  const sink = { kind: "folder", target: folder } as const;
  await registerSinks(worker, [sink]);
  await writeCheckpoints(worker, { key, now: new Date(), retentionDays: RETENTION_DAYS });
  await deliverCheckpoints(worker, { ...sink, deliver: (checkpoint) => writeCheckpointFile(folder, checkpoint) });
}

/** Verifies as `tollgate ledger verify --quiescent --checkpoints DIR` does. */
async function verify(worker: Database, folder: string, publicKey: KeyObject): Promise<VerifyReport> {
  const checkpoints = await findCheckpoints(worker, folder, [publicKey]);
  return findBrokenInvariants(worker, { isAtRest: true, checkpoints });
}

async function asWorker<Result>(
  connectionString: string,
  work: (worker: Database) => Promise<Result>,
): Promise<Result> {
  const worker = connect({ connectionString, role: "tollgate_worker", poolSize: 2, applicationName: "adversary" });
  try {
    return await work(worker);
  } finally {
    await worker.destroy();
  }
}
