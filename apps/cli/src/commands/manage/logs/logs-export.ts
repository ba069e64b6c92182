import { closeSync, openSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { EXIT } from "../../../exit-codes.ts";
import { parseTime } from "../../../format-values.ts";
import { countOf } from "../count-of.ts";
import { callFlags, readCallFilter } from "./log-filter.ts";

/** Maximum number of requests in one export. */
const MAX_CALLS = 100_000;
const LINE_END = 10;

/** `tollgate logs export`: exports requests as CSV, as written by the platform. */
export const logsExport = defineCommand({
  examples: [
    "tollgate logs export --since 30d --file calls.csv",
    "tollgate logs export --since 2026-11-01 --until 2026-11-15 --team platform > november.csv",
  ],
  flags: {
    since: { type: "string", value: "TIME", description: "Start time, such as 2h, 7d, or 2026-11-01; defaults to 7d" },
    until: { type: "string", value: "TIME", description: "End time" },
    ...callFlags,
    file: { type: "string", value: "PATH", description: "Output file; defaults to standard output" },
    overwrite: { type: "boolean", description: "Overwrite an existing file" },
  },
  fields: ["file", "calls", "complete"],
  operations: ["listLogs"],
  exitCodes: { 8: "The export matches too many requests; narrow the time range" },
  async run(context, flags) {
    const { output, platform } = context;
    if (output.isJson && flags.file === undefined) {
      throw usageError(
        "--json requires --file.",
        "Add --file PATH, or list the requests as JSON: tollgate logs list --all --json",
      );
    }
    const query = {
      ...(await readCallFilter(context, flags)),
      startDate: parseTime(flags.since ?? "7d", "past"),
      // Use a fixed end time, so that the count and the file cover the same requests.
      endDate: flags.until === undefined ? new Date().toISOString() : parseTime(flags.until, "past"),
    };
    const { meta } = await platform.call("listLogs", { query: { ...query, pageSize: 1 } });
    const expected = Math.min(meta.total, MAX_CALLS);
    const file = flags.file === undefined ? null : createFile(resolve(context.io.cwd, flags.file), flags.overwrite);
    const progress = context.progress("exporting", expected);
    let lines = 0;
    try {
      for await (const chunk of platform.chunks("listLogs", { query: { ...query, format: "csv" } })) {
        if (file === null) output.text(chunk);
        else writeSync(file, chunk);
        const ended = chunk.reduce((count, byte) => (byte === LINE_END ? count + 1 : count), 0);
        lines += ended;
        progress.add(ended);
      }
    } finally {
      progress.end();
      if (file !== null) closeSync(file);
    }
    const calls = Math.max(0, lines - 1);
    const complete = meta.total <= MAX_CALLS;
    if (file !== null) output.record({ file: flags.file, calls, complete }, () => "");
    output.done(`Exported ${countOf(calls, "request")}${file === null ? "" : ` to ${flags.file}`}`);
    if (complete) return;
    output.warn(`The time range contains more than ${MAX_CALLS} requests. Narrow it with --since and --until.`);
    return EXIT.someFailed;
  },
});

/** Creates a file that only its owner can read, because it contains costs and users. */
function createFile(path: string, overwrites: boolean): number {
  try {
    return openSync(path, overwrites ? "w" : "wx", 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw usageError(`${path} already exists.`, "To replace it, add --overwrite.");
    throw usageError(`Could not write ${path}: ${message}`);
  }
}
