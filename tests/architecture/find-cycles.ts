import type { Import } from "./find-broken-arrows.ts";

/**
 * Returns the groups of files that import each other in a circle, largest first. Every file of a group reaches every
 * other file of it. Type imports count like any other import.
 */
export function findCycles(imports: readonly Import[]): string[][] {
  const importsOf = new Map<string, string[]>();
  for (const { from, to } of imports) {
    if (from === to) continue;
    const known = importsOf.get(from);
    if (known === undefined) importsOf.set(from, [to]);
    else known.push(to);
  }
  return stronglyConnected(importsOf)
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted())
    .toSorted((a, b) => b.length - a.length);
}

/** Tarjan's algorithm. */
function stronglyConnected(importsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open = new Set<string>();
  const groups: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    let low = order.size - 1;
    open.add(file);
    for (const next of importsOf.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.has(next)) low = Math.min(low, order.get(next) as number);
    }
    if (low === order.get(file)) {
      const stack = [...open];
      const group = stack.slice(stack.indexOf(file));
      for (const member of group) open.delete(member);
      groups.push(group);
    }
    return low;
  };
  for (const file of importsOf.keys()) if (!order.has(file)) visit(file);
  return groups;
}
