import { isMap, isScalar, parseDocument } from "yaml";
import type { SettingsWarning } from "./findings.ts";

/**
 * Converts a LiteLLM file to our format: renames `litellm_settings`, drops settings without effect, and keeps comments.
 */
export function convertLitellmFile(text: string, warnings: readonly SettingsWarning[]): string {
  const document = parseDocument(text, { stringKeys: true });
  for (const { kind, path } of warnings) {
    if (kind === "without-effect" && !path.endsWith("]")) document.deleteIn(splitPath(path));
  }
  const root = document.contents;
  if (isMap(root) && !root.has("gw_settings")) {
    for (const { key } of root.items) if (isScalar(key) && key.value === "litellm_settings") key.value = "gw_settings";
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function splitPath(path: string): (string | number)[] {
  return path.split(/[.[\]]+/).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
