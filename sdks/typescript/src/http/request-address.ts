/** The path with its `{parameters}` filled in. A missing one is a mistake of the program. */
export function fillPath(path: string, params: object): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, unknown>)[name];
    if (value === undefined) throw new TypeError(`Missing parameter ${name} for ${path}.`);
    return encodeURIComponent(String(value));
  });
}

/** The query with its question mark; nothing when there is none. A list is sent as one parameter each. */
export function toSearch(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
