import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@tollgate/db/connect.ts";
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
  const history = await writeTamperHistory(urlOf(OWNER, TEMPLATE), random);
  return {
    history,
    verifyAfter: async (name, statements) => {
      const database = name.replaceAll("-", "_");
      await query(administrator, `create database ${database} template ${TEMPLATE} owner ${OWNER} strategy file_copy`);
      try {
        await query(urlOf("postgres", database), `set session_replication_role = replica; ${statements}`);
        return await verify(urlOf(OWNER, database));
      } finally {
        await query(administrator, `drop database ${database} with (force)`);
      }
    },
    stop: async () => {
      await postgres.stop("SIGINT");
    },
  };
}

/** Verifies as `tollgate ledger verify --quiescent` does. */
async function verify(connectionString: string): Promise<VerifyReport> {
  const worker = connect({ connectionString, role: "tollgate_worker", poolSize: 1, applicationName: "adversary" });
  try {
    return await findBrokenInvariants(worker, { isAtRest: true });
  } finally {
    await worker.destroy();
  }
}
