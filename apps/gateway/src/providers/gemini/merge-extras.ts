import { Failure } from "@tollgate/contracts/failures.ts";
import type { GenerateContentRequest } from "./gemini-wire.ts";

/**
 * Tools that the provider runs without access to the operator's data. Tools that read file stores, for example, are
 * excluded.
 */
const openTools: ReadonlySet<string> = new Set([
  "functionDeclarations",
  "googleSearch",
  "googleMaps",
  "urlContext",
  "codeExecution",
]);
/** Options of Google Maps. Others can name secrets in the operator's project. */
const mapsOptions: ReadonlySet<string> = new Set(["enableWidget"]);
/** Upstream fields that were already checked, counted, or priced. Caller-supplied fields must not override them. */
const settledFields: ReadonlySet<string> = new Set(["model", "contents", "cachedContent", "serviceTier"]);
const settledSettings: ReadonlySet<string> = new Set(["maxOutputTokens", "candidateCount"]);

/**
 * Adds Gemini-specific fields to the body. The API accepts every name in camel case and in snake case, so both
 * spellings count as the same name.
 */
export function mergeExtras(body: GenerateContentRequest, extras: object, place: string): void {
  for (const [name, value] of Object.entries(extras)) {
    const field = camelCase(name);
    const param = place === "" ? name : `${place}.${name}`;
    if (settledFields.has(field)) throw settled(param);
    if (field === "generationConfig" && typeof value === "object" && value !== null) {
      body.generationConfig = { ...body.generationConfig, ...checkedSettings(value, param) };
    } else if (field === "systemInstruction" && !hasOnlyText(value)) {
      // Media here would be neither counted nor checked.
      throw new Failure("invalid_request", `'${param}' supports only text.`, { param });
    } else if (field === "tools") {
      body.tools = [...(body.tools ?? []), ...checkedTools(value, param)];
    } else {
      (body as unknown as Record<string, unknown>)[field] = value;
    }
  }
}

function hasOnlyText(instruction: unknown): boolean {
  if (typeof instruction !== "object" || instruction === null) return false;
  const { parts } = instruction as { readonly parts?: unknown };
  const list: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  return list.every(
    (part) => typeof part === "object" && part !== null && Object.keys(part).every((name) => name === "text"),
  );
}

function checkedSettings(settings: object, place: string): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const setting = camelCase(name);
    if (settledSettings.has(setting)) throw settled(`${place}.${name}`);
    checked[setting] = value;
  }
  return checked;
}

function checkedTools(tools: unknown, param: string): readonly object[] {
  const list = Array.isArray(tools) ? (tools as unknown[]) : [tools];
  return list.map((tool, index) => checkedTool(tool, `${param}.${index}`));
}

/** Returns a tool in the provider's own form. Refuses tools that could read the operator's data. */
export function checkedTool(tool: unknown, param: string): object {
  const members: readonly [string, unknown][] =
    typeof tool === "object" && tool !== null ? Object.entries(tool) : [["", null]];
  if (members.every(([name, options]) => isOpen(camelCase(name), options))) return tool as object;
  throw new Failure("unsupported_tool", "This provider tool is not supported.", { param });
}

function isOpen(name: string, options: unknown): boolean {
  if (!openTools.has(name)) return false;
  return name !== "googleMaps" || Object.keys(options ?? {}).every((option) => mapsOptions.has(camelCase(option)));
}

/** Converts a field name to camel case. */
export function camelCase(name: string): string {
  return name.replaceAll(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}

function settled(param: string): Failure {
  return new Failure("invalid_request", `'${param}' cannot be set in extra_body. Use the request field instead.`, {
    param,
  });
}
