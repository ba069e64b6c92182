import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { convertLitellmFile } from "@tollgate/runtime/settings/convert-litellm-file.ts";
import { describeLitellmFile, formatFileReport } from "@tollgate/runtime/settings/describe-litellm-file.ts";
import { formatProblems } from "@tollgate/runtime/settings/format-problems.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { OperatorIo } from "../operator-io.ts";
import type { ImportLine } from "./run-plan.ts";

type ConvertedSettings =
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "carried"; readonly report: string; readonly line: ImportLine };

/**
 * Loads LiteLLM's settings file the same way as the server does at startup, reports settings that have no effect, and
 * writes the file in Tollgate's format.
 */
export function convertSettings(file: string, out: string, isDry: boolean, io: OperatorIo): ConvertedSettings {
  const loaded = loadSettings({ files: [file], env: io.env, providers: io.apps.gateway.knownProviders, cwd: io.cwd });
  if (loaded.kind === "refused") {
    return { kind: "refused", text: formatProblems(loaded.problems, `tollgate config check --config ${file}`) };
  }
  const own = loaded.warnings.filter((warning) => warning.file === file);
  const text = convertLitellmFile(readFileSync(resolve(io.cwd, file), "utf8"), own);
  const target = resolve(io.cwd, out);
  const former = existsSync(target) ? readFileSync(target, "utf8") : null;
  const common = { kind: "settings", name: out, source: file, id: null };
  const { databaseUrl } = loaded.settings.general;
  const notes =
    databaseUrl === null
      ? []
      : ["general_settings.database_url points to LiteLLM's database; use a separate database for Tollgate"];
  const warnings = own
    .filter(({ kind }) => kind !== "advice")
    .map(({ path, suggestion = "no effect" }) => `${path}: ${suggestion}`);
  const report = formatFileReport(describeLitellmFile(file, loaded));
  const line = { ...common, notes, warnings, detail: null };
  if (former === text) return { kind: "carried", report, line: { ...line, outcome: "unchanged" } };
  if (former !== null) {
    const detail = "the file already exists with different contents; choose another file with --out";
    return { kind: "carried", report, line: { ...line, outcome: "failed", detail } };
  }
  // The new file may contain provider keys, so it gets the permissions of the source file.
  if (!isDry) writeFileSync(target, text, { mode: statSync(resolve(io.cwd, file)).mode & 0o666 });
  return { kind: "carried", report, line: { ...line, outcome: "created" } };
}
