import { startTestGateway } from "../../test-gateway.fixture.ts";

/** Runs a gateway in a separate process, so that its memory can be measured without the memory of its callers. */
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
