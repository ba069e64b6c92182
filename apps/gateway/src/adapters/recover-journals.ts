import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CreditLedger } from "@tollgate/domain/credit/ports.ts";
import { type JournalNode, readNode, writeNode } from "@tollgate/journal/node-file.ts";
import { type RecoveredDirectory, recoverDirectory } from "@tollgate/journal/recover-directory.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { DeliveryThread } from "../delivery/delivery-thread.ts";
import { type DirectoryLock, JournalInUse, lockDirectory } from "../journal/lock-directory.ts";

/** Closes the calls that an earlier run left open in its journal. */
export async function recoverJournal(
  directory: string,
  nodeId: string,
  epoch: number,
  logger: Logger,
): Promise<RecoveredDirectory> {
  const header = { nodeId, epoch, createdAtMs: Date.now(), salt: randomBytes(4).readUInt32LE() };
  const recovered = await recoverDirectory(directory, header);
  if (recovered.closings.length > 0) {
    logger.warn("closed requests left open by an earlier run", { count: recovered.closings.length });
  }
  // Don't report an incomplete tail, which is normal after a crash. No response that depended on it was sent.
  for (const { segment, position, lostRecords } of recovered.damage.filter(({ isTail }) => !isTail)) {
    logger.error(`journal segment ${segment} is damaged at ${position}`, { count: lostRecords });
  }
  return recovered;
}

interface Adoption {
  /** Directory that contains one journal directory for each gateway process on this machine. */
  readonly journalRoot: string;
  /** Number of gateway processes on this machine. */
  readonly processes: number;
  readonly delivery: DeliveryThread;
  readonly ledger: CreditLedger;
  readonly logger: Logger;
  /** Called if the ledger couldn't take back the leases of an adopted journal's node. */
  readonly onTrouble: (error: unknown) => void;
}

/** Takes over the journals of processes that this machine no longer runs, so that their events are delivered. */
export async function adoptJournals(adoption: Adoption): Promise<readonly DirectoryLock[]> {
  const { journalRoot, processes, delivery, ledger, logger, onTrouble } = adoption;
  const locks: DirectoryLock[] = [];
  for (const name of await readdir(journalRoot)) {
    const index = /^gateway-(\d+)$/.exec(name)?.[1];
    if (index === undefined || Number(index) < processes) continue;
    const directory = join(journalRoot, name);
    const node = await readNode(directory);
    if (node === null) continue;
    try {
      locks.push(await lockDirectory(directory));
    } catch (error) {
      if (error instanceof JournalInUse) continue;
      throw error;
    }
    const { pending } = await recoverJournal(directory, node.nodeId, node.epoch, logger);
    delivery.adopt(directory);
    void closeFor(node, pending, directory, ledger).catch(onTrouble);
  }
  return locks;
}

/**
 * Registers a new epoch for the dead node, so that the ledger rejects requests from the old epoch that are still in
 * flight.
 */
async function closeFor(
  node: JournalNode,
  pending: RecoveredDirectory["pending"],
  directory: string,
  ledger: CreditLedger,
): Promise<void> {
  const { epoch } = await ledger.registerNode(node.nodeId, node.epoch);
  await writeNode(directory, { nodeId: node.nodeId, epoch });
  await ledger.closeLeases(node.nodeId, epoch, pending);
}
