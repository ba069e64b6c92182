import { parseArgs } from "node:util";
import type { Database } from "@tollgate/db/connect.ts";
import { listParkedEvents } from "@tollgate/db/ledger/parked-events.ts";
import { redriveEvent } from "@tollgate/db/ledger/settle-usage.ts";
import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import { LEDGER_OPTIONS, LEDGER_OPTIONS_USAGE, withLedger } from "../database/ledger-connection.ts";
import type { OperatorIo } from "../operator-io.ts";
import { formatExactJson } from "./exact-json.ts";

const USAGE = `List or redrive usage events that could not be settled.

  tollgate ledger parked list
  tollgate ledger parked redrive 0198c1f2-…

${LEDGER_OPTIONS_USAGE}
`;

const SHOWN_EVENTS = 1_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `tollgate ledger parked`: lists parked events, or retries one after its cause is fixed. */
export async function ledgerParked(args: readonly string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: LEDGER_OPTIONS,
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const [action = "list", id] = positionals;
  const open = { data: values.data ?? null, role: "tollgate_worker" } as const;
  if (action === "list") return withLedger({ ...open, work: ({ db }) => list(db, values.json, io) }, io);
  if (action === "redrive" && id !== undefined && UUID.test(id)) {
    return withLedger({ ...open, work: ({ db }) => redrive(db, id, values.json, io) }, io);
  }
  return reportFailure(io, `Use 'list', or 'redrive' with an event ID.\n\n${USAGE}`, EXIT.usage);
}

async function list(db: Database, isJson: boolean, io: OperatorIo): Promise<number> {
  const events = await listParkedEvents(db, SHOWN_EVENTS);
  if (isJson) io.stdout.write(`${formatExactJson({ events })}\n`);
  else if (events.length === 0) io.stdout.write("  ✓ no parked events\n");
  for (const { id, organizationId, reason, parkedAt } of isJson ? [] : events) {
    io.stdout.write(`  ${id}  ${parkedAt.toISOString()}  ${organizationId ?? "no organization"}  ${reason}\n`);
  }
  return EXIT.ok;
}

async function redrive(db: Database, id: string, isJson: boolean, io: OperatorIo): Promise<number> {
  const outcome = (await redriveEvent(db, id)) ?? "not parked";
  const isDone = outcome === "settled" || outcome === "known";
  if (isJson) io.stdout.write(`${formatExactJson({ id, outcome })}\n`);
  else if (isDone) io.stdout.write(`  ✓ settled ${id}\n`);
  else if (outcome === "parked")
    reportFailure(io, `${id} was parked again. For the reason, run tollgate ledger explain ${id}`, EXIT.failure);
  else reportFailure(io, `No parked event with ID ${id}.`, EXIT.failure);
  return isDone ? EXIT.ok : EXIT.failure;
}
