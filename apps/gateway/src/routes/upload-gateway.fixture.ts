import { startTestGateway } from "../test-gateway.fixture.ts";

/** A gateway in a process of its own, so that what it takes can be told from what its callers take. */
const gateway = await startTestGateway({ yaml: process.argv[2] ?? "" });
let highest = 0;
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 1);
process.on("message", (message) => {
  if (message === "forget") highest = process.memoryUsage.rss();
  process.send?.({ highest });
});
process.send?.({ port: gateway.port });
