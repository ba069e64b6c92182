import { commandGroups } from "@tollgate/cli/command-groups.ts";
import { runCli } from "@tollgate/cli/run-cli.ts";
import manifest from "../package.json" with { type: "json" };
import { serverGroups } from "./server-commands.ts";

const io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
};

// A reader such as `head` may close the pipe early. Exit with 128 + SIGPIPE, like a shell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(141);
});

process.exitCode = await runCli(process.argv.slice(2), io, {
  groups: [...commandGroups, ...serverGroups(io)],
  version: manifest.version,
});
// A pipe buffers only 64 KiB. Without a flush, unread output would be cut off.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
// Exit even if a thread or connection is still shutting down.
process.exit();
