import { parentPort, workerData } from "node:worker_threads";
import { connect } from "@tollgate/db/connect.ts";
import { findMissingEvents } from "@tollgate/db/ledger/find-missing-events.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import type { EventLogOptions, UsagePublisher } from "@tollgate/event-log/usage-publisher.ts";
import { Delivery } from "@tollgate/journal/delivery/deliver-events.ts";
import { NEVER_GROWS } from "@tollgate/journal/delivery/journal-signal.ts";
import { openSegmentFiles } from "@tollgate/journal/delivery/segment-files.ts";
import { SegmentSource } from "@tollgate/journal/delivery/segment-source.ts";
import { DEFAULT_RETENTION, removeDoneSegments } from "@tollgate/journal/journal-directory.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import { releaseGarbage } from "@tollgate/runtime/release-garbage.ts";
import type { DeliveredJournal, DeliveryCommand, DeliveryMessage, DeliveryThreadData } from "./delivery-messages.ts";
import { directEventLog } from "./direct-event-log.ts";
import { fleetEventLog } from "./fleet-event-log.ts";
import { jetstreamEventLog } from "./jetstream-event-log.ts";
import { writerSignal } from "./writer-signal.ts";

const POOL_SIZE = 2;
// Two settle statements keep the pool busy. Publishing mostly waits for the network, so more batches can be in flight.
const PARALLEL_SETTLES = 2;
const PARALLEL_PUBLISHES = 4;
const REPORT_MS = 1_000;
const CLEANUP_MS = 60 * 60 * 1_000;

const { connectionString, carrier, journals } = workerData as DeliveryThreadData;
const tell = (news: DeliveryMessage): void => parentPort?.postMessage(news);
const db = connect({
  connectionString,
  role: "tollgate_gateway",
  poolSize: POOL_SIZE,
  applicationName: "tollgate delivery",
});
const publisher = carrier.kind === "jetstream" ? await openPublisher(carrier) : null;
const direct = directEventLog(db);
const eventLog = publisher === null ? direct : fleetEventLog(jetstreamEventLog(publisher), direct);

const running: { readonly directory: string; readonly delivery: Delivery; readonly source: SegmentSource }[] = [];
for (const journal of journals) run(journal);
releaseGarbage();

const report = (): void => {
  const oldest = running.map(({ delivery }) => delivery.oldestUnconfirmedAtMs).filter((atMs) => atMs !== null);
  const backlog = running.reduce((sum, { delivery }) => sum + delivery.backlog, 0);
  tell({
    kind: "report",
    oldestUnconfirmedAtMs: oldest.length === 0 ? null : Math.min(...oldest),
    backlog,
  });
  // The last report is the one that says that nothing is left.
  reports = backlog === 0 ? null : setTimeout(report, REPORT_MS);
};
// The thread may have been restarted, and its predecessor's last report may not be true anymore.
let reports: NodeJS.Timeout | null = setTimeout(report, REPORT_MS);

// A journal under load removes expired segments itself, but an idle or abandoned journal does not.
const tidying = setInterval(() => {
  for (const { directory } of running)
    removeDoneSegments(directory, { ...DEFAULT_RETENTION, capBytes: Number.POSITIVE_INFINITY }, Date.now()).catch(
      (error: unknown) => tell({ kind: "trouble", step: "finish", error: toError(error) }),
    );
}, CLEANUP_MS);

parentPort?.on("message", (command: DeliveryCommand) => {
  switch (command.kind) {
    case "adopt":
      run({ directory: command.directory, writer: null });
      break;
    case "redeliver":
      for (const { delivery } of running) delivery.redeliverAll();
      break;
    case "drain":
      void drain();
      break;
    case "stop":
      void stop();
  }
});

/** Loads the client of the log only if there is a log. */
async function openPublisher(options: EventLogOptions): Promise<UsagePublisher> {
  const { UsagePublisher } = await import("@tollgate/event-log/usage-publisher.ts");
  return new UsagePublisher(options);
}

function run({ directory, writer }: DeliveredJournal): void {
  const signal = writer === null ? NEVER_GROWS : writerSignal(writer);
  const source = new SegmentSource(openSegmentFiles(directory), signal, (segment, { position }) =>
    tell({ kind: "damage", directory, segment, position }),
  );
  if (writer === null) source.closeJournal();
  const delivery = new Delivery(
    {
      source,
      eventLog,
      confirmation: { findMissing: (ids) => findMissingEvents(db, ids) },
      clock: processClock,
      makeBatchId: () => makeUuidV7(Date.now()),
      onBacklog: () => {
        reports ??= setTimeout(report, REPORT_MS);
      },
      onTrouble: (step, error) => tell({ kind: "trouble", step, error: toError(error) }),
    },
    { parallelBatches: publisher === null ? PARALLEL_SETTLES : PARALLEL_PUBLISHES },
  );
  running.push({ directory, delivery, source });
  delivery.start();
  source.readConfirmed().then(
    (ids) => delivery.watch(ids),
    (error: unknown) => tell({ kind: "trouble", step: "read", error: toError(error) }),
  );
}

async function drain(): Promise<void> {
  for (const { source } of running) source.closeJournal();
  await Promise.all(running.map(({ delivery }) => delivery.drained()));
  // The gateway's last heartbeat says what is unconfirmed, so the last report comes first.
  if (reports !== null) clearTimeout(reports);
  report();
  tell({ kind: "drained" });
}

async function stop(): Promise<void> {
  for (const { delivery } of running) delivery.stop();
  if (reports !== null) clearTimeout(reports);
  clearInterval(tidying);
  parentPort?.close();
  await Promise.all([db.destroy(), publisher?.close()]);
  process.exit(0);
}

/** Converts an error to a plain Error, because only plain errors are cloned completely between threads. */
function toError(error: unknown): Error {
  return new Error(error instanceof Error ? error.message : String(error));
}
