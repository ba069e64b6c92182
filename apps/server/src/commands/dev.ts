import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { markDemoFolder, readDemoFolder, unmarkDemoFolder } from "../demo/demo-folder.ts";
import { startEmbeddedPostgres } from "../embedded-postgres/start-embedded-postgres.ts";

const USAGE = `Start a complete local server for development. It needs no other services, network access, or provider keys.

  tollgate dev
  tollgate dev --demo
  tollgate dev --config config.yaml
  tollgate dev --json --port 4100 --data /tmp/tollgate

  --port N        Port on 127.0.0.1 (default: 4000, or the next free port)
  --data DIR      Data directory (default: ./.tollgate)
  --demo          Fill a new data directory with a month of simulated history
  --config FILE   Settings file, applied in addition to the simulated models
  --no-open       Don't open the console in a browser when started from a terminal
  --json          Print one JSON line with the URLs and keys when ready, and nothing else
`;

const HOST = "127.0.0.1";

/**
 * `tollgate dev`: runs an embedded database and the gateway, with an account and a key, until the command is stopped.
 */
export async function dev(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string" },
      host: { type: "string" },
      data: { type: "string" },
      config: { type: "string" },
      demo: { type: "boolean", default: false },
      "no-open": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  if (values.host !== undefined && values.host !== HOST && values.host !== "localhost") {
    const reason = "Development mode uses demo keys and simulated payments, so it accepts only local connections.";
    return reportFailure(
      io,
      `${reason}\n  To accept remote connections:  DATABASE_URL=postgres://… tollgate serve --host ${values.host}`,
      EXIT.usage,
    );
  }
  const port = values.port === undefined ? null : Number(values.port);
  if (port !== null && (!Number.isInteger(port) || port < 0 || port > 65_535)) {
    return reportFailure(io, "--port must be a number from 0 to 65535.", EXIT.usage);
  }
  const dataDir = resolve(io.cwd, values.data ?? ".tollgate");
  const content = readDemoFolder(dataDir);
  if (values.demo && content === "other") {
    const reason = `${dataDir} has data that is not a complete demo.`;
    return reportFailure(
      io,
      `${reason}\n  To start a demo, choose a new folder:  tollgate dev --demo --data DIR`,
      EXIT.usage,
    );
  }
  if (values.demo && content === "empty") markDemoFolder(dataDir, "prepared", 0);
  if (!values.demo) unmarkDemoFolder(dataDir);
  const options = {
    port,
    dataDir,
    config: values.config ?? null,
    isJson: values.json,
    opensBrowser: !(values.json || values["no-open"]),
    // A demo's models are served on every start.
    isDemo: values.demo || content === "demo",
  };
  const stopped = waitForSignal();
  mkdirSync(dataDir, { recursive: true });
  // Creating a database takes as long as loading the program, and it is the work of other processes.
  const starting = startEmbeddedPostgres({ dataDir });
  starting.catch(() => {}); // It is awaited when the program is loaded.
  try {
    const { runDev } = await import("../dev/run-dev.ts");
    return await runDev(options, starting, stopped, io);
  } finally {
    await starting.then(
      (postgres) => postgres.stop(),
      () => {},
    );
  }
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
