import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { Random } from "../random.ts";
import type { Carrier } from "./carrier.ts";
import type { Link } from "./network.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const FETCH_MS = 20;
const AGAIN_MS = 500;

/** Settles what the log carries, for as long as its process lives. A message is acknowledged after its events are in the books. */
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
      // Long enough for a kill to come in between now and then.
      await process.pause(random.next() * 20);
      message.acknowledge();
    } catch {
      // The log gives the message out again when nobody acknowledges it.
      await process.pause(AGAIN_MS);
    }
  }
}
