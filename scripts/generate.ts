import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeUnits } from "../packages/domain/generate/generate-units.ts";
import { describeUnitCounters } from "../packages/journal/generate/generate-unit-counters.ts";
import { settingsJsonSchema } from "../packages/runtime/src/settings/settings-json-schema.ts";
import { describeInferenceTypes } from "../sdks/typescript/generate/generate-inference-types.ts";
import { describeOperations } from "../sdks/typescript/generate/generate-operations.ts";
import { describeEnvironmentPage } from "./docs/describe-environment.ts";
import { describeErrorPages } from "./docs/describe-error-pages.ts";
import { describeSettingsPage } from "./docs/describe-settings.ts";
import { describeBillingUnits, describeCostUnits, functionFiles } from "./generate-billing-units.ts";
import { describeCommandReference } from "./generate-command-reference.ts";
import { dashboardFiles, describeAlerts, describeRules } from "./generate-dashboards.ts";
import { describeErrors } from "./generate-errors.ts";
import { describeLitellmKeys } from "./generate-litellm-keys.ts";
import { describeLogFormat } from "./generate-log-format.ts";
import { describeManagement, describeManagementErrors } from "./generate-management.ts";
import { describeMetrics } from "./generate-metrics.ts";
import { describeInterface } from "./generate-openapi.ts";
import { describeOpenAiWires } from "./generate-providers.ts";

/** Levels of a generated JSON file that are spread over lines: enough for a line per part of an operation. */
const SPREAD_LEVELS = 4;

const commandReference = await describeCommandReference();

/** Every generated file. Don't edit them by hand. `--check` reports files that no longer match the code. */
const files: Readonly<Record<string, () => string>> = {
  "apps/ui/src/components/cost-units.generated.ts": describeCostUnits,
  "docs/api/openapi.json": () => toCompactJson(describeInterface()),
  "docs/api/management.json": () => toCompactJson(describeManagement()),
  "docs/cli/reference.md": () => commandReference,
  "docs/config/environment.md": describeEnvironmentPage,
  "docs/config/litellm-keys.md": describeLitellmKeys,
  "docs/config/settings.md": describeSettingsPage,
  "docs/errors/gateway.md": describeErrors,
  "docs/providers/openai-wire-table.md": describeOpenAiWires,
  "docs/observe/log-format.md": describeLogFormat,
  "docs/errors/platform.md": describeManagementErrors,
  "docs/reference/billing-units.md": describeBillingUnits,
  "docs/observe/metrics.md": describeMetrics,
  ...describeErrorPages(),
  "docs/observe/alerts.md": describeAlerts,
  "deploy/observability/prometheus/rules/tollgate.rules.yml": describeRules,
  ...dashboardFiles("deploy/observability/grafana/dashboards"),
  ...functionFiles("packages/db/functions"),
  "packages/domain/src/pricing/units.generated.ts": describeUnits,
  "packages/journal/src/unit-counters.generated.ts": describeUnitCounters,
  "sdks/typescript/src/gateway/inference-types.generated.ts": describeInferenceTypes,
  "sdks/typescript/src/platform/operations.generated.ts": describeOperations,
  "settings.schema.json": () => toCompactJson(settingsJsonSchema()),
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

/** Writes an object with one line per member down to the given level, so that diffs stay readable, and no more spaces. */
function toCompactJson(value: object): string {
  return `${spreadJson(value, SPREAD_LEVELS, "")}\n`;
}

function spreadJson(value: unknown, levels: number, indent: string): string {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || levels === 0 || Object.keys(value).length === 0) return JSON.stringify(value);
  const inner = `${indent} `;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${inner}${JSON.stringify(name)}: ${spreadJson(member, levels - 1, inner)}`);
  return `{\n${members.join(",\n")}\n${indent}}`;
}
