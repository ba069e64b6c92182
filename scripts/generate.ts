import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingsJsonSchema } from "../packages/runtime/src/settings/settings-json-schema.ts";
import { describeInferenceTypes } from "../sdks/typescript/generate/generate-inference-types.ts";
import { describeOperations } from "../sdks/typescript/generate/generate-operations.ts";
import { describeEnvironmentPage } from "./docs/describe-environment.ts";
import { describeErrorPages } from "./docs/describe-error-pages.ts";
import { describeSettingsPage } from "./docs/describe-settings.ts";
import { describeCommandReference } from "./generate-command-reference.ts";
import { dashboardFiles, describeAlerts, describeRules } from "./generate-dashboards.ts";
import { describeErrors } from "./generate-errors.ts";
import { describeLitellmKeys } from "./generate-litellm-keys.ts";
import { describeLogFormat } from "./generate-log-format.ts";
import { describeManagement, describeManagementErrors } from "./generate-management.ts";
import { describeMetrics } from "./generate-metrics.ts";
import { describeInterface } from "./generate-openapi.ts";
import { describeOpenAiWires } from "./generate-providers.ts";

const commandReference = await describeCommandReference();

/** Every generated file. Don't edit them by hand. `--check` reports files that no longer match the code. */
const files: Readonly<Record<string, () => string>> = {
  "docs/api/openapi.json": () => toJson(describeInterface()),
  "docs/api/management.json": () => toJson(describeManagement()),
  "docs/cli/reference.md": () => commandReference,
  "docs/config/environment.md": describeEnvironmentPage,
  "docs/config/litellm-keys.md": describeLitellmKeys,
  "docs/config/settings.md": describeSettingsPage,
  "docs/errors/gateway.md": describeErrors,
  "docs/providers/openai-wire-table.md": describeOpenAiWires,
  "docs/observe/log-format.md": describeLogFormat,
  "docs/errors/platform.md": describeManagementErrors,
  "docs/observe/metrics.md": describeMetrics,
  ...describeErrorPages(),
  "docs/observe/alerts.md": describeAlerts,
  "deploy/observability/prometheus/rules/tollgate.rules.yml": describeRules,
  ...dashboardFiles("deploy/observability/grafana/dashboards"),
  "sdks/typescript/src/gateway/inference-types.generated.ts": describeInferenceTypes,
  "sdks/typescript/src/platform/operations.generated.ts": describeOperations,
  "settings.schema.json": () => toJson(settingsJsonSchema()),
};

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const stale = Object.entries(files).filter(([path, make]) => !bringUpToDate(join(root, path), make(), isCheck));

for (const [path] of stale) console.error(`${path} is stale: run bin/pnpm generate`);
process.exitCode = stale.length > 0 ? 1 : 0;

/** Updates the file unless this is a check. Returns true if it is up to date afterwards. */
function bringUpToDate(path: string, text: string, isCheck: boolean): boolean {
  if (readText(path) === text) return true;
  if (isCheck) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return true;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
