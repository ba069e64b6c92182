import { openBrowser } from "./stage/open-browser.ts";
import { startInstance } from "./stage/start-instance.ts";
import { writeFileSync } from "node:fs";
const i = await startInstance("/tmp/e1/live" + process.argv[2], "/tmp/e1-dist2", process.argv[3] ?? "");
writeFileSync("/tmp/e1/instance" + process.argv[2] + ".json", JSON.stringify(i));
process.on("SIGTERM", () => void i.stop().then(() => process.exit(0)));
setInterval(() => {}, 1000);
