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

// A reader that has seen enough, such as head, closes the pipe: there is nobody left to tell. 128 + SIGPIPE, as shells say it.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(141);
});

process.exitCode = await runCli(process.argv.slice(2), io, {
  groups: [...commandGroups, ...serverGroups(io)],
  version: manifest.version,
});
// A pipe takes 64 KiB at a time; what its reader has not taken yet would be cut off.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
// A thread or connection that is still winding down must not keep a finished command from returning.
process.exit();
