/**
 * Removes fields from a request: whole fields by name, or nested ones by a path such as `tools.function.strict`. If a
 * path crosses a list, it applies to every item.
 */
export function leaveOut(request: object, dropped: ReadonlySet<string>): void {
  for (const name of dropped) {
    if (Object.hasOwn(request, name) || !name.includes(".")) delete (request as Record<string, unknown>)[name];
    else removeAt(request, name.split("."), 0);
  }
}

/** Reports whether any name is a path to a nested field. */
export function hasPath(dropped: ReadonlySet<string>): boolean {
  for (const name of dropped) if (name.includes(".")) return true;
  return false;
}

function removeAt(value: unknown, path: readonly string[], depth: number): void {
  if (Array.isArray(value)) {
    for (const item of value) removeAt(item, path, depth);
    return;
  }
  const name = path[depth] as string;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return;
  const record = value as Record<string, unknown>;
  if (depth === path.length - 1) delete record[name];
  else removeAt(record[name], path, depth + 1);
}
