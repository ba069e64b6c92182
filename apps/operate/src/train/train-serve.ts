import { once } from "node:events";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { plural } from "@tollgate/coordinator/progress/run-lines.ts";
import { listRuns, runsFolder } from "@tollgate/coordinator/project/find-run.ts";
import { startLiveServer } from "@tollgate/coordinator/report/live-server.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";

const USAGE = `Serve live pages for a project's runs on this computer until stopped.

  tollgate train serve
  tollgate train serve demo --port 8700

  --port N   Port on 127.0.0.1 (default: a free port)

The URL contains a secret. Anyone with the URL can read the runs.
`;

/** `tollgate train serve`: serves a page that lists the runs in a folder, on the loopback interface. */
export async function trainServe(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { port: { type: "string", default: "0" }, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return reportFailure(io, `Invalid port '${values.port}'.`, EXIT.usage);
  try {
    const folder = runsFolder(resolve(io.cwd, positionals[0] ?? "."));
    const server = await startLiveServer({ runs: () => listRuns(folder), port });
    io.stdout.write(`${server.url}\n`);
    io.stderr.write(`  ${plural(listRuns(folder).length, "run")} in ${folder}    Press Ctrl-C to stop\n`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
    await server.close();
    return EXIT.ok;
  } catch (error) {
    return reportTrainFailure(io, error);
  }
}
