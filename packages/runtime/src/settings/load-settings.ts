import { Secret } from "@tollgate/domain/secret.ts";
import { buildDeployments } from "./build-deployments.ts";
import { buildGateway } from "./build-gateway.ts";
import { buildGeneral } from "./build-general.ts";
import { buildAssistants, buildGuardrails } from "./build-guardrails.ts";
import { buildBilling, buildPlatform } from "./build-platform.ts";
import { buildRouter } from "./build-router.ts";
import { buildTelemetry } from "./build-telemetry.ts";
import { checkDeployments } from "./check-deployments.ts";
import { checkGeneral } from "./check-general.ts";
import { checkPlatform } from "./check-platform.ts";
import { checkRouting } from "./check-routing.ts";
import { checkUnenforced } from "./check-unenforced.ts";
import { describeSettings } from "./describe-settings.ts";
import { type Environment, readEnvironmentSection } from "./environment.ts";
import { Findings, type SettingsProblem, type SettingsWarning } from "./findings.ts";
import type { Providers } from "./name-provider.ts";
import { readFiles, type SettingsText } from "./read-files.ts";
import { SettingsFile } from "./schema/settings-file.ts";
import type { Settings } from "./settings.ts";
import { SettingsReader } from "./settings-reader.ts";
import type { SourceMap } from "./source-tree.ts";

interface SettingsSources {
  /** Paths, or files already in memory; later files take precedence. Empty means defaults. */
  readonly files: readonly (string | SettingsText)[];
  readonly env: Environment;
  readonly providers: Providers;
  /** Base directory for relative paths. */
  readonly cwd?: string;
}

/** A section of the settings files and the setting names in it, for reports. */
export interface SectionOutline {
  readonly name: string;
  /** Names in a mapping; empty for a list. */
  readonly settings: readonly string[];
  readonly entries: number;
}

export type LoadedSettings =
  | {
      readonly kind: "loaded";
      readonly settings: Settings;
      readonly warnings: readonly SettingsWarning[];
      readonly outline: readonly SectionOutline[];
    }
  | {
      readonly kind: "refused";
      readonly problems: readonly SettingsProblem[];
      readonly warnings: readonly SettingsWarning[];
    };

/** Loads all settings or none, and reports all problems together. Has no side effects. */
export function loadSettings(sources: SettingsSources): LoadedSettings {
  const findings = new Findings();
  const tree = readFiles(sources.files, sources.cwd ?? process.cwd(), findings);
  const own = readEnvironmentSection(tree, sources.env, findings);
  const environment: Environment = { ...sources.env, ...own };
  const reader = new SettingsReader(environment, findings);
  const file = reader.read(SettingsFile, tree);
  if (file === null) throw new Error("every section has a default, so reading the file always returns one");

  const router = buildRouter(file.router_settings, file.gw_settings);
  checkDeployments(file, reader, environment, sources.providers);
  checkRouting(file, router, reader);
  checkGeneral(file.general_settings, reader);
  checkPlatform(file, reader);
  checkUnenforced(file, reader);
  const settings: Settings = {
    deployments: buildDeployments(file, reader, environment, sources.providers),
    gateway: buildGateway(file.gw_settings, file.billing.provider !== "off"),
    router,
    general: buildGeneral(file.general_settings, buildTelemetry(file.general_settings, reader, environment)),
    billing: buildBilling(file.billing),
    prices: file.prices,
    platform: buildPlatform(file),
    guardrails: buildGuardrails(file.guardrails, reader),
    assistants: buildAssistants(file.assistants, reader),
    environment: Object.fromEntries(Object.entries(own).map(([name, value]) => [name, new Secret(value)])),
    shown: describeSettings(tree, environment),
  };
  const warnings = findings.warnings.sort(byPlace);
  if (findings.problems.length > 0) return { kind: "refused", problems: findings.problems.sort(byPlace), warnings };
  return { kind: "loaded", settings, warnings, outline: outlineOf(tree) };
}

function outlineOf(tree: SourceMap): readonly SectionOutline[] {
  return [...tree.entries].map(([name, { value }]) => ({
    name,
    settings: value.kind === "map" ? [...value.entries.keys()] : [],
    entries: value.kind === "map" ? value.entries.size : value.kind === "list" ? value.items.length : 0,
  }));
}

function byPlace(left: SettingsProblem, right: SettingsProblem): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column;
}
