/** Fills in the `{parameters}` of a path. Throws if a parameter is missing, which is a programming error. */
export function fillPath(path: string, params: object): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, unknown>)[name];
    if (value === undefined) throw new TypeError(`Missing parameter ${name} for ${path}.`);
    return encodeURIComponent(String(value));
  });
}

/** Returns the query string with its question mark, or "" if empty. Lists become repeated parameters. */
export function toSearch(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
