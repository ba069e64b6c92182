const statement = /(?:^|\n)\s*(?:import|export)\s[^"';]*?from\s*["']([^"']+)["']/g;
const bare = /(?:^|\n)\s*import\s*["']([^"']+)["']/g;
const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** The specifiers a file imports, type imports too: a type is knowledge of the other side as well. */
export function readImports(source: string): string[] {
  return [statement, bare, dynamic].flatMap((pattern) =>
    [...source.matchAll(pattern)].map((match) => match[1] as string),
  );
}
