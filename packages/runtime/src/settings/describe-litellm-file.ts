import type { SettingsWarning } from "./findings.ts";
import type { LoadedSettings, SectionOutline } from "./load-settings.ts";

interface SectionReport {
  readonly name: string;
  /** Short summary of the section's contents. */
  readonly summary: string;
  readonly used: number;
  readonly ignored: number;
}

/** Report on which settings in a file have an effect and which don't. */
interface FileReport {
  readonly file: string;
  readonly isLitellm: boolean;
  readonly deployments: number;
  readonly groups: number;
  readonly sections: readonly SectionReport[];
  readonly withoutEffect: readonly SettingsWarning[];
  readonly advice: readonly SettingsWarning[];
}

type Loaded = Extract<LoadedSettings, { kind: "loaded" }>;

/** Display order. Other sections follow in file order. */
const SECTION_ORDER = ["model_list", "router_settings", "litellm_settings", "gw_settings", "general_settings"];
const OWN_SECTIONS = new Set(["gw_settings", "billing", "assistants"]);
const NAMED_SETTINGS = 2;
const SUMMARY_WIDTH = 34;

/**
 * Reports which settings in a LiteLLM file have an effect. The report has the same format for all files, with a
 * different headline.
 */
export function describeLitellmFile(file: string, loaded: Loaded): FileReport {
  const withoutEffect = loaded.warnings.filter(({ kind }) => kind !== "advice");
  const { deployments } = loaded.settings;
  const groups = new Set(deployments.map(({ modelName }) => modelName)).size;
  const ignoredPaths = new Set(withoutEffect.map(({ path }) => path));
  const sections = sortSections(loaded.outline)
    .filter(({ name }) => name !== "include" && !ignoredPaths.has(name))
    .map((section) => describeSection(section, ignoredPaths, deployments.length, groups));
  const hasOwnSection = loaded.outline.some(({ name }) => OWN_SECTIONS.has(name));
  const hasForeignSetting =
    loaded.outline.some(({ name }) => name === "litellm_settings") ||
    loaded.warnings.some(({ kind }) => kind === "without-effect");
  return {
    file,
    isLitellm: hasForeignSetting && !hasOwnSection,
    deployments: deployments.length,
    groups,
    sections,
    withoutEffect,
    advice: loaded.warnings.filter(({ kind }) => kind === "advice"),
  };
}

/** Formats the report as text, with one line per section and one per setting without effect. */
export function formatFileReport(report: FileReport): string {
  const headline = report.isLitellm ? "LiteLLM configuration detected" : `✓ ${report.file} is valid`;
  const nameWidth = Math.max(0, ...report.sections.map(({ name }) => name.length));
  const sections = report.sections.map(
    (section) => `  ${section.name.padEnd(nameWidth)}  ${section.summary.padEnd(SUMMARY_WIDTH)}${formatCount(section)}`,
  );
  const notices = [...report.withoutEffect, ...report.advice];
  const placeWidth = Math.max(0, ...notices.map(({ file, line }) => `${file}:${line}`.length));
  const blocks = [
    [headline],
    sections,
    notices.map((notice) => formatNotice(notice, placeWidth)),
    [`  ${formatVerdict(report)}`],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function describeSection(
  section: SectionOutline,
  ignoredPaths: ReadonlySet<string>,
  deployments: number,
  groups: number,
): SectionReport {
  const { name, entries } = section;
  const isInside = (path: string): boolean => path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
  const ignored = [...ignoredPaths].filter(isInside).length;
  const used = section.settings.filter((setting) => !ignoredPaths.has(`${name}.${setting}`));
  if (name === "model_list") {
    const summary = `${plural(deployments, "deployment")} in ${plural(groups, "group")}`;
    return { name, summary, used: deployments, ignored };
  }
  if (section.settings.length === 0) return { name, summary: plural(entries, "entry"), used: entries, ignored };
  return { name, summary: summarize(used), used: used.length, ignored };
}

function summarize(settings: readonly string[]): string {
  const named = settings.slice(0, NAMED_SETTINGS);
  const text = named.join(", ") + (settings.length > named.length ? ", …" : "");
  return text.length < SUMMARY_WIDTH ? text : `${settings[0]}, …`;
}

function formatCount({ name, used, ignored }: SectionReport): string {
  if (ignored > 0) return `✓ ${used}   ! ${ignored} ignored`;
  return name === "model_list" ? "✓ all mapped" : `✓ ${used} of ${used}`;
}

const MESSAGE_WIDTH = 40;
const SUGGESTION_WIDTH = 60;

function formatNotice({ file, line, message, suggestion = "" }: SettingsWarning, placeWidth: number): string {
  const start = `  ! ${`${file}:${line}`.padEnd(placeWidth)}  `;
  if (message.length < MESSAGE_WIDTH && suggestion.length <= SUGGESTION_WIDTH) {
    return `${start}${message.padEnd(MESSAGE_WIDTH)}${suggestion}`.trimEnd();
  }
  return `${start}${message}\n${" ".repeat(start.length)}${suggestion}`.trimEnd();
}

function formatVerdict({ isLitellm, file, withoutEffect, advice }: FileReport): string {
  const count = withoutEffect.length;
  const warnings = count + advice.length;
  const effect = count === 0 ? "" : ` ${plural(count, "setting")} ${count === 1 ? "has" : "have"} no effect.`;
  const convert = isLitellm ? ` Convert:  tollgate config convert ${file} > tollgate.yaml` : "";
  return `${warnings === 0 ? "Runs as is." : `Runs with ${plural(warnings, "warning")}.`}${effect}${convert}`;
}

function sortSections(outline: readonly SectionOutline[]): readonly SectionOutline[] {
  const rank = ({ name }: SectionOutline): number => {
    const index = SECTION_ORDER.indexOf(name);
    return index < 0 ? SECTION_ORDER.length : index;
  };
  return outline.toSorted((left, right) => rank(left) - rank(right));
}

function plural(count: number, word: string): string {
  if (count === 1) return `1 ${word}`;
  return `${count} ${word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`}`;
}
