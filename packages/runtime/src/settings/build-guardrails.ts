import { LOOPBACK_TARGETS } from "@tollgate/domain/network/allowed-target.ts";
import { readOutboundTarget } from "@tollgate/domain/network/outbound-target.ts";
import { compileLinear } from "./linear-pattern.ts";
import { type GuardrailCheck, guardrailOptions } from "./schema/guardrail-options.ts";
import { type Guardrail, GuardrailParams, guardrailKinds } from "./schema/model-list.ts";
import type { SettingsFile } from "./schema/settings-file.ts";
import type { AssistantsSettings, GuardrailSettings } from "./settings.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend, type SourceMap, type SourceNode } from "./source-tree.ts";

/** Maximum number of keywords. The number is limited because each keyword is matched at every word of the text. */
const MAX_KEYWORDS = 1_000;

const COMMON_PARAMS = new Set(Object.keys(GuardrailParams.properties));

/**
 * Builds the guardrails that can run here. A guardrail that runs on every call must exist. If any other guardrail is
 * missing, only requests that name it are rejected.
 */
export function buildGuardrails(written: readonly Guardrail[], reader: SettingsReader): readonly GuardrailSettings[] {
  const seen = new Set<string>();
  return written.flatMap((guardrail) => {
    const { guardrail_name: name } = guardrail;
    if (seen.has(name)) {
      const { place } = reader.sourceOf(guardrail);
      reader.findings.refuse(
        place,
        `guardrail "${name}" is defined twice`,
        "requests refer to guardrails by name; use unique names",
      );
    }
    seen.add(name);
    return buildGuardrail(guardrail, reader) ?? [];
  });
}

function buildGuardrail(written: Guardrail, reader: SettingsReader): GuardrailSettings | null {
  const node = written.litellm_params;
  if (node.kind !== "map") {
    reader.findings.refuse(node.place, "litellm_params", "expected a mapping with guardrail and mode");
    return null;
  }
  const name = written.guardrail_name;
  if (/[^\x21-\x7e]|,/.test(name)) {
    reader.findings.refuse(
      node.place,
      `guardrail "${name}"`,
      "a name cannot contain commas, spaces, or special characters",
    );
  }
  if (!isAvailable(name, node, reader)) return null;
  const common = reader.read(
    GuardrailParams,
    keepEntries(node, (name) => COMMON_PARAMS.has(name)),
  );
  if (common === null) return null;
  const own = keepEntries(node, (name) => !COMMON_PARAMS.has(name));
  const options = reader.read(guardrailOptions[common.guardrail], own);
  if (options === null) return null;
  const check = { kind: common.guardrail, options } as GuardrailCheck;
  checkOptions(check, own, reader);
  const masks = "action" in check.options && check.options.action === "mask";
  if (masks && common.mode.includes("during_call")) {
    reader.findings.refuse(node.place, `guardrail "${name}"`, "masking requires pre_call");
  }
  return {
    ...check,
    name,
    modes: typeof common.mode === "string" ? [common.mode] : common.mode,
    defaultOn: common.default_on,
    onError: common.on_error,
  };
}

/**
 * Checks rules that a schema can't express: patterns must compile, URLs must be allowed, and a guardrail must detect
 * something.
 */
function checkOptions({ kind, options }: GuardrailCheck, node: SourceMap, reader: SettingsReader): void {
  const refuse = (setting: string, message: string, suggestion: string) =>
    reader.findings.refuse((descend(node, setting) ?? node).place, message, suggestion);
  if (kind === "keyword_block") {
    if (options.keywords.length === 0) refuse("keywords", "keywords is empty", "add at least one word");
    if (options.keywords.length > MAX_KEYWORDS) refuse("keywords", "keywords", `the maximum is ${MAX_KEYWORDS}`);
  }
  if (kind === "regex_pii") {
    for (const [name, source] of Object.entries(options.patterns)) {
      const compiled = compileLinear(source);
      const place = (descend(node, "patterns", name) ?? node).place;
      if (compiled.kind === "refused") reader.findings.refuse(place, `pattern "${name}"`, compiled.reason);
      if (!/^[\w-]{1,64}$/.test(name)) {
        reader.findings.refuse(
          place,
          `pattern "${name}"`,
          "masks show the name, so it can only contain letters, digits, - and _",
        );
      }
    }
    const found = options.entities.length + Object.keys(options.patterns).length;
    if (found === 0) refuse("entities", "entities is empty", "add at least one entity or pattern");
  }
  if (kind === "webhook") {
    const target = readOutboundTarget(options.url, { allowed: LOOPBACK_TARGETS, allowsQuery: true });
    const isOpen = options.allow_http && /^http:\/\/[^@#]+$/.test(options.url) && URL.canParse(options.url);
    if (target.kind === "refused" && !isOpen) refuse("url", "url", `${target.problem}, unless allow_http is set`);
  }
}

/** Check availability first, so that an unavailable guardrail doesn't need credentials. */
function isAvailable(name: string, node: SourceMap, reader: SettingsReader): boolean {
  const kind = descend(node, "guardrail");
  if (kind?.kind !== "scalar" || (guardrailKinds as readonly string[]).includes(kind.text)) return true;
  const runsAlways = descend(node, "default_on");
  const message = `guardrail "${name}" requires ${kind.text}`;
  const known = `built-in types: ${guardrailKinds.join(", ")}`;
  if (isTrue(runsAlways)) {
    reader.findings.refuse(kind.place, message, `every request would run without it; ${known}`);
  } else {
    reader.findings.warn("without-effect", kind.place, message, `requests that name it are refused; ${known}`);
  }
  return false;
}

/** Builds the assistants settings. Passthrough mode needs an upstream. */
export function buildAssistants(written: SettingsFile["assistants"], reader: SettingsReader): AssistantsSettings {
  const node = written.litellm_params;
  if (written.mode === "passthrough" && node === null) {
    const { place } = reader.sourceOf(written);
    reader.findings.refuse(place, "assistants.litellm_params is missing", "passthrough requires an upstream");
  }
  return {
    mode: written.mode,
    upstream: node?.kind === "map" ? reader.readOpen(node) : null,
    slots: written.slots,
    organizationWeights: written.organization_weights,
    queuedRunsPerKey: written.queued_runs_per_key,
    queuedRunsPerOrganization: written.queued_runs_per_organization,
    listenersPerKey: written.listeners_per_key,
    listenersPerOrganization: written.listeners_per_organization,
    storedMbPerKey: written.stored_mb_per_key,
    storedMbPerOrganization: written.stored_mb_per_organization,
    storedMbWithoutCredit: written.stored_mb_without_credit,
    retentionDays: written.retention_days,
  };
}

function keepEntries(node: SourceMap, keep: (name: string) => boolean): SourceMap {
  return { ...node, entries: new Map([...node.entries].filter(([name]) => keep(name))) };
}

function isTrue(node: SourceNode | null): boolean {
  return node?.kind === "scalar" && /^(true|yes|on|1)$/i.test(node.text);
}
