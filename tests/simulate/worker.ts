import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { Random } from "../random.ts";
import type { Carrier } from "./carrier.ts";
import type { Link } from "./network.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const FETCH_MS = 20;
const AGAIN_MS = 500;

/**
 * Settles messages from the log while its process is alive. Acknowledges a message after its events are in the ledger.
 */
export async function runWorker(
  process: SimulatedProcess,
  carrier: Carrier<readonly UsageEvent[]>,
  link: Link,
  random: Random,
  settle: (events: readonly UsageEvent[]) => void,
): Promise<void> {
  for (;;) {
    const message = carrier.take();
    if (message === null) {
      await carrier.arrival();
      await process.pause(random.next() * FETCH_MS);
      continue;
    }
    try {
      await link.ask(process, () => settle(message.batch));
      // Wait long enough that the process can be killed before the acknowledgment.
      await process.pause(random.next() * 20);
      message.acknowledge();
    } catch {
      // The log redelivers a message without an acknowledgment.
      await process.pause(AGAIN_MS);
    }
  }
}
