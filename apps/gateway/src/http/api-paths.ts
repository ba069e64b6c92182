import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { canonicalPath } from "./route-table.ts";

/**
 * Matches the last parameter of a path. Model names and reference file names may contain slashes, but record IDs can't.
 */
const LAST_PARAMETER = /\{(model_id|asset)\}$/;
const PARAMETER = /\{(\w+)\}/g;

/** Converts a path to the router's notation. A model name at the end may contain slashes. */
export function toRouterPath(path: string): string {
  return path.replace(LAST_PARAMETER, "*").replace(PARAMETER, ":$1");
}

/** Renames the router's parameters to the parameter names in the path. */
export function nameParameters(path: string, found: Readonly<Record<string, string>>): Record<string, string> {
  const last = LAST_PARAMETER.exec(path)?.[1];
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name === "*" && last ? last : name, value]));
}

/**
 * Returns the request target without the root path and with a doubled version prefix collapsed. The query is preserved.
 */
export function withoutPrefixes(target: string, rootPath: string): string {
  const question = target.indexOf("?");
  const query = question < 0 ? "" : target.slice(question);
  const path = canonicalPath(target, rootPath);
  return (path === rootPath ? "/" : path) + query;
}

/** Returns the methods that a path supports; empty if the path is unknown. */
export function listMethods(operations: readonly OperationDescription[], target: string): readonly string[] {
  const path = canonicalPath(target, "");
  const methods = new Set<string>();
  for (const operation of operations) {
    if (!operation.paths.some((template) => matchesPath(template, path))) continue;
    methods.add(operation.method);
    if (operation.method === "GET") methods.add("HEAD");
  }
  return methods.size === 0 ? [] : [...methods, "OPTIONS"];
}

function matchesPath(template: string, path: string): boolean {
  const pattern = template.replaceAll(".", "\\.").replace(LAST_PARAMETER, ".+").replace(PARAMETER, "[^/]+");
  return new RegExp(`^${pattern}$`).test(path);
}
