import { setTimeout as pause } from "node:timers/promises";
import { heldBytes, usedBytes } from "../../held-memory.fixture.ts";
import { startTestGateway } from "../../test-gateway.fixture.ts";

/**
 * Memory is collected only if it exceeds the highest value by this amount, because a collection takes longer than
 * receiving a mebibyte. The gateway may have held this much more than the highest value.
 */
const GARBAGE_BYTES = 8 * 1024 * 1024;
/** Number of turns of the event loop in which a gateway that doesn't wait for the upstream reads 25 MiB from disk. */
const SETTLE_TURNS = 400;

/** Runs a gateway in a separate process, so that its memory can be measured without the memory of its callers. */
const gateway = await startTestGateway({ yaml: process.argv[2] ?? "" });
let highest = 0;
setInterval(() => {
  if (usedBytes() > highest + GARBAGE_BYTES) highest = Math.max(highest, heldBytes());
}, 1);
process.on("message", async (message) => {
  if (message === "forget") highest = heldBytes();
  if (message === "settle") for (let turn = 0; turn < SETTLE_TURNS; turn += 1) await pause(1);
  process.send?.({ highest, bound: highest + GARBAGE_BYTES });
});
process.send?.({ port: gateway.port });
