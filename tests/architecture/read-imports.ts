const statement = /(?:^|\n)\s*(?:import|export)\s[^"';]*?from\s*["']([^"']+)["']/g;
const bare = /(?:^|\n)\s*import\s*["']([^"']+)["']/g;
const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Returns the specifiers that a file imports, including type imports, which are also dependencies. */
export function readImports(source: string): string[] {
  return [statement, bare, dynamic].flatMap((pattern) =>
    [...source.matchAll(pattern)].map((match) => match[1] as string),
  );
}
