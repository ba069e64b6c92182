import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { canonicalPath } from "./route-table.ts";

/** Names of models, and of files of the reference, have slashes; ids of records have none. */
const LAST_PARAMETER = /\{(model_id|asset)\}$/;
const PARAMETER = /\{(\w+)\}/g;

/** A path in the router's own notation. A model's name at the end may hold slashes. */
export function toRouterPath(path: string): string {
  return path.replace(LAST_PARAMETER, "*").replace(PARAMETER, ":$1");
}

/** The router's parameters under the names the path gives them. */
export function nameParameters(path: string, found: Readonly<Record<string, string>>): Record<string, string> {
  const last = LAST_PARAMETER.exec(path)?.[1];
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name === "*" && last ? last : name, value]));
}

/** The target without root path and doubled version prefix, its query kept. */
export function withoutPrefixes(target: string, rootPath: string): string {
  const question = target.indexOf("?");
  const query = question < 0 ? "" : target.slice(question);
  const path = canonicalPath(target, rootPath);
  return (path === rootPath ? "/" : path) + query;
}

/** The methods that exist at a path, or none when nothing is there. */
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
