import { type DatabaseFacts, inspectDatabase } from "@tollgate/db/inspect-database.ts";
import { withoutPassword } from "@tollgate/db/without-password.ts";
import type { ServerResources } from "../operator-io.ts";
import {
  type DatabaseProbeResult,
  type DoctorContext,
  type Finding,
  failed,
  passed,
  warned,
} from "./doctor-finding.ts";

const OLDEST_MAJOR = 15;
const NOTABLE_OFFSET_MS = 1_000;
const HARMFUL_OFFSET_MS = 10_000;

/** Probes the embedded database in the data directory, or the database at the given URL, without changing it. */
export async function lookAtDatabase(
  dataDir: string | null,
  address: string | null,
  { readEmbeddedConnection }: Pick<ServerResources, "readEmbeddedConnection">,
): Promise<DatabaseProbeResult> {
  const embedded = dataDir === null ? null : readEmbeddedConnection(dataDir);
  if (dataDir !== null && embedded === null) return { kind: "not running", dataDir };
  const connectionString = embedded ?? address;
  if (connectionString === null) return { kind: "not configured" };
  try {
    return { kind: "seen", facts: await inspectDatabase(connectionString), isEmbedded: embedded !== null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ECONNREFUSED" ? "connection refused" : message;
    return { kind: "unreachable", address: withoutPassword(connectionString), reason };
  }
}

export async function checkDatabase(context: DoctorContext): Promise<Finding[]> {
  const status = await context.database();
  switch (status.kind) {
    case "not configured":
      return [
        warned(
          "database",
          "not configured",
          "Set DATABASE_URL for `tollgate serve`. `tollgate dev` includes a database.",
        ),
      ];
    case "not running":
      return [
        failed("database", `no database is running in ${status.dataDir}`, `tollgate dev --data ${status.dataDir}`),
      ];
    case "unreachable":
      return [
        failed(
          "database",
          `${status.address}: ${status.reason}`,
          "Check that the database server is running and that DATABASE_URL is correct.",
        ),
      ];
    case "seen":
      return [judge(status.facts, status.isEmbedded)];
  }
}

function judge(facts: DatabaseFacts, isEmbedded: boolean): Finding {
  const { version, majorVersion, latencyMs, schemaNumber, knownSchemaNumber, pendingFunctions, isTooNew } = facts;
  const server = `${isEmbedded ? "embedded " : ""}postgres ${version}, ${formatMs(latencyMs)}`;
  const text = `${server}, schema ${schemaNumber} of ${knownSchemaNumber}`;
  if (majorVersion < OLDEST_MAJOR) return failed("database", text, `Use PostgreSQL ${OLDEST_MAJOR} or later.`);
  if (isTooNew) {
    return failed(
      "database",
      `${server}, schema ${schemaNumber} is newer than this version supports`,
      "Upgrade to a newer version of Tollgate.",
    );
  }
  if (schemaNumber < knownSchemaNumber)
    return warned("database", text, "Run `tollgate migrate up`, or start `tollgate serve`, to upgrade the schema.");
  if (schemaNumber === knownSchemaNumber && pendingFunctions > 0)
    return warned(
      "database",
      `${text}, SQL functions of another version: ${pendingFunctions}`,
      "Run `tollgate migrate up`, or start `tollgate serve`, to replace them.",
    );
  return passed("database", text);
}

/** Checks the clock offset, because leases and expiries compare local time with the database's time. */
export async function checkClock(context: DoctorContext): Promise<Finding[]> {
  const status = await context.database();
  if (status.kind !== "seen") return [];
  const offsetMs = Math.abs(status.facts.clockOffsetMs);
  const text = `offset ${formatMs(offsetMs)} from the database`;
  if (offsetMs < NOTABLE_OFFSET_MS) return [passed("clock", text)];
  const fix = "Synchronize both clocks with NTP, for example with chrony or systemd-timesyncd.";
  return [offsetMs < HARMFUL_OFFSET_MS ? warned("clock", text, fix) : failed("clock", text, fix)];
}

function formatMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
