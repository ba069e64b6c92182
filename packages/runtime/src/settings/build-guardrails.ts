import { type Guardrail, GuardrailParams, guardrailKinds } from "./schema/model-list.ts";
import type { SettingsFile } from "./schema/settings-file.ts";
import type { AssistantsSettings, GuardrailSettings } from "./settings.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend, type SourceMap, type SourceNode } from "./source-tree.ts";

const COMMON_PARAMS = new Set(Object.keys(GuardrailParams.properties));

/** The guardrails that can run here. One that runs on every call must exist; others are missed only by requests that name them, which are refused. */
export function buildGuardrails(written: readonly Guardrail[], reader: SettingsReader): readonly GuardrailSettings[] {
  return written.flatMap((guardrail) => buildGuardrail(guardrail, reader) ?? []);
}

function buildGuardrail(written: Guardrail, reader: SettingsReader): GuardrailSettings | null {
  const node = written.litellm_params;
  if (node.kind !== "map") {
    reader.findings.refuse(node.place, "litellm_params", "expected a mapping with guardrail and mode");
    return null;
  }
  if (!isAvailable(written.guardrail_name, node, reader)) return null;
  const common = reader.read(
    GuardrailParams,
    keepEntries(node, (name) => COMMON_PARAMS.has(name)),
  );
  if (common === null) return null;
  return {
    name: written.guardrail_name,
    kind: common.guardrail,
    modes: typeof common.mode === "string" ? [common.mode] : common.mode,
    defaultOn: common.default_on,
    onError: common.on_error,
    options: reader.readOpen(keepEntries(node, (name) => !COMMON_PARAMS.has(name))),
  };
}

/** Looked at before anything else, so that the credentials of a check that cannot run here need not be set. */
function isAvailable(name: string, node: SourceMap, reader: SettingsReader): boolean {
  const kind = descend(node, "guardrail");
  if (kind?.kind !== "scalar" || (guardrailKinds as readonly string[]).includes(kind.text)) return true;
  const runsAlways = descend(node, "default_on");
  const message = `guardrail "${name}" needs ${kind.text}`;
  const known = `built in are ${guardrailKinds.join(", ")}`;
  if (isTrue(runsAlways)) {
    reader.findings.refuse(kind.place, message, `every call would run without it; ${known}`);
  } else {
    reader.findings.warn("without-effect", kind.place, message, `requests that name it are refused; ${known}`);
  }
  return false;
}

/** How assistants run; passing them on needs an upstream to pass them to. */
export function buildAssistants(written: SettingsFile["assistants"], reader: SettingsReader): AssistantsSettings {
  const node = written.litellm_params;
  if (written.mode === "passthrough" && node === null) {
    const { place } = reader.sourceOf(written);
    reader.findings.refuse(place, "litellm_params is missing in assistants", "passthrough needs an upstream");
  }
  return {
    mode: written.mode,
    upstream: node?.kind === "map" ? reader.readOpen(node) : null,
    slots: written.slots,
    retentionDays: written.retention_days,
  };
}

function keepEntries(node: SourceMap, keep: (name: string) => boolean): SourceMap {
  return { ...node, entries: new Map([...node.entries].filter(([name]) => keep(name))) };
}

function isTrue(node: SourceNode | null): boolean {
  return node?.kind === "scalar" && /^(true|yes|on|1)$/i.test(node.text);
}
