import { lockDirectory } from "./lock-directory.ts";

/** A process that locks a directory until it is killed. */
await lockDirectory(process.argv[2] ?? "");
process.send?.("locked");
setInterval(() => undefined, 1_000);
