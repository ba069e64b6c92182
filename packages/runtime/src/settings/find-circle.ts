/** Returns the first cycle from a name back to itself, or null. */
export function findCircle(
  starts: Iterable<string>,
  leadsTo: (name: string) => readonly string[],
): readonly string[] | null {
  const finished = new Set<string>();
  const walk = (name: string, trail: readonly string[]): readonly string[] | null => {
    const start = trail.indexOf(name);
    if (start >= 0) return [...trail.slice(start), name];
    if (finished.has(name)) return null;
    for (const next of leadsTo(name)) {
      const circle = walk(next, [...trail, name]);
      if (circle !== null) return circle;
    }
    finished.add(name);
    return null;
  };
  for (const name of starts) {
    const circle = walk(name, []);
    if (circle !== null) return circle;
  }
  return null;
}
