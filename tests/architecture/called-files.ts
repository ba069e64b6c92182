/** One script as described by V8's precise coverage. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

export interface CalledFile {
  /** Path from the root. */
  readonly path: string;
  readonly functions: readonly string[];
}

/**
 * Returns the files below `rootUrl` in which every one of the calls runs at least one function, sorted by path. Timers
 * that happen to run during one call are not part of all of them.
 */
export function filesOfEveryCall(calls: readonly (readonly ScriptCoverage[])[], rootUrl: string): CalledFile[] {
  const [first, ...others] = calls.map((scripts) => filesOf(scripts, rootUrl));
  return [...(first ?? [])]
    .filter(([path]) => others.every((files) => files.has(path)))
    .map(([path, functions]) => ({ path, functions }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function filesOf(scripts: readonly ScriptCoverage[], rootUrl: string): Map<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith(rootUrl) || url.includes("/node_modules/")) continue;
    const called = functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName || "(anonymous)");
    if (called.length > 0) files.set(url.slice(rootUrl.length), called);
  }
  return files;
}
