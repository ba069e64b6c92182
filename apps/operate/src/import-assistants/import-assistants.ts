import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeSystemError } from "@tollgate/runtime/describe-system-error.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { AssistantsClient, GatewayUnusable } from "./assistants-client.ts";
import { describeImport } from "./describe-import.ts";
import { type ImportReport, importRecords } from "./import-records.ts";
import { ImportedIds, NotAnIdFile } from "./imported-ids.ts";
import { readExport, UnreadableExport } from "./read-export.ts";

const USAGE = `Import assistants, threads, and messages exported from OpenAI to a gateway.

  tollgate import assistants --file export.json [--file more.jsonl]

  --file FILE            Exported OpenAI objects as JSON, list pages, or JSON Lines (repeatable)
  --base-url URL         Gateway URL (default: TOLLGATE_BASE_URL, then http://127.0.0.1:4000)
  --model OLD=NEW        Replace model OLD with NEW in assistants (repeatable)
  --map FILE             File that maps old IDs to new IDs (default: first file's name plus .imported.jsonl)
  --dry-run              Read all files and show what would be imported; needs no gateway
  --json                 Print the report as one JSON line, with all dropped fields and rejections

  The API key is read from TOLLGATE_API_KEY. Imported objects belong to the key's team or user. The import can be repeated:
  existing objects are not created again, and an interrupted import resumes.
`;

const DEFAULT_URL = "http://127.0.0.1:4000";

/**
 * `tollgate import assistants`: recreates an OpenAI export through the API. Exits with 8 if any object was rejected.
 */
export async function importAssistants(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      file: { type: "string", multiple: true, default: [] },
      "base-url": { type: "string" },
      model: { type: "string", multiple: true, default: [] },
      map: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const files = values.file.map((file) => resolve(io.cwd, file));
  const [first] = files;
  if (first === undefined) return reportFailure(io, "No export file specified. Add --file export.json.", EXIT.usage);
  const models = readModels(values.model);
  if (models === null)
    return reportFailure(io, "--model must have the form OLD=NEW, for example gpt-4-turbo=gpt-4.1.", EXIT.usage);
  const baseUrl = readBaseUrl(values["base-url"] ?? io.env.TOLLGATE_BASE_URL ?? DEFAULT_URL);
  if (baseUrl === null)
    return reportFailure(io, "--base-url must be a URL, for example https://gateway.example.", EXIT.usage);
  const key = io.env.TOLLGATE_API_KEY ?? "";
  const isDry = values["dry-run"];
  if (key === "" && !isDry)
    return reportFailure(io, "TOLLGATE_API_KEY is not set. Set it to a gateway API key.", EXIT.notPermitted);

  try {
    const exported = await readExport(files);
    const mapFile = values.map === undefined ? `${first}.imported.jsonl` : resolve(io.cwd, values.map);
    const ids = new ImportedIds(mapFile, baseUrl);
    const gateway = isDry ? null : new AssistantsClient(baseUrl, key);
    const progress = showProgress(io);
    const report = await importRecords(exported, { gateway, ids, models, onProgress: progress.show }).finally(
      progress.end,
    );
    const others = Object.fromEntries(exported.others);
    if (values.json) io.stdout.write(`${JSON.stringify({ dryRun: isDry, ...report, others, map: mapFile })}\n`);
    else io.stdout.write(describeImport(report, { others, mapFile, isDry }));
    return report.refusals.length > 0 ? EXIT.someFailed : EXIT.ok;
  } catch (error) {
    return reportImportFailure(io, error);
  }
}

function reportImportFailure(io: Io, error: unknown): number {
  if (error instanceof GatewayUnusable) {
    const next = error.exitCode === EXIT.temporary ? "\n  Run the command again later to resume the import." : "";
    return reportFailure(io, `${error.message}${next}`, error.exitCode);
  }
  if (error instanceof UnreadableExport || error instanceof NotAnIdFile) {
    return reportFailure(io, error.message, EXIT.usage);
  }
  const refused = describeSystemError(error);
  if (refused === null) throw error;
  return reportFailure(io, `${refused.message}\n  Fix:  ${refused.fix}`, EXIT.usage);
}

function readModels(pairs: readonly string[]): ReadonlyMap<string, string> | null {
  const models = pairs.map((pair) => /^([^=]+)=(.+)$/.exec(pair)?.slice(1) as [string, string] | undefined);
  return models.every((pair) => pair !== undefined) ? new Map(models) : null;
}

/** Parses a base URL, with or without the `/v1` suffix that SDKs need. */
function readBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v1$/, "");
}

const LINE_EVERY_MS = 5_000;
const REDRAW_EVERY_MS = 100;

/** Shows progress on one redrawn line if the output is a terminal, and otherwise prints a line every few seconds. */
function showProgress(io: Io): { show: (report: ImportReport) => void; end: () => void } {
  const isTerminal = (io.stderr as { isTTY?: boolean }).isTTY === true && io.env.TERM !== "dumb";
  const everyMs = isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS;
  let shownAtMs = performance.now();
  return {
    show: ({ assistants, threads, messages }) => {
      if (performance.now() - shownAtMs < everyMs) return;
      shownAtMs = performance.now();
      const text = `  ${assistants.created} assistants, ${threads.created} threads, ${messages.created} messages`;
      io.stderr.write(isTerminal ? `\r${text}` : `${text}\n`);
    },
    end: () => void (isTerminal && io.stderr.write("\r\u001B[K")),
  };
}
