import { locate } from "./read-repository.ts";

/** Files whose exported names must have an importer. Generated files export a name for everything they list. */
const checked = /^(?:apps|packages|sdks\/typescript|training)\/.*(?<!\.test|\.generated)\.tsx?$/;
/** Generators contain the text of the files that they write. */
const generator = /\/generate\//;

const declaration = /^export (?:async |abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
const statement = /(?:^|\n)\s*(?:import|export)\s([^"';]*?)from\s*["']([^"']+)["']/g;
const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
const ALL = "*";

/** Returns each exported name that no other file imports, with its file. Takes the sources by their path from the root. */
export function findUnimportedNames(sources: ReadonlyMap<string, string>): string[] {
  const imported = new Map<string, Set<string>>();
  for (const [path, source] of sources) {
    for (const { specifier, names } of readImportedNames(source)) {
      const target = locate(path, specifier);
      const file = sources.has(target) ? target : `${target}.ts`;
      imported.set(file, new Set([...(imported.get(file) ?? []), ...names]));
    }
  }
  return [...sources]
    .filter(([path]) => checked.test(path) && !generator.test(path) && !imported.get(path)?.has(ALL))
    .flatMap(([path, source]) =>
      [...source.matchAll(declaration)]
        .map((match) => match[1] as string)
        .filter((name) => !imported.get(path)?.has(name))
        .map((name) => `${path} exports ${name}`),
    );
}

function readImportedNames(source: string): { specifier: string; names: readonly string[] }[] {
  const statements = [...source.matchAll(statement)].map(([, clause = "", specifier = ""]) => ({
    specifier,
    names: clause.includes(ALL) ? [ALL] : namesIn(clause),
  }));
  const loaded = [...source.matchAll(dynamic)].map(([, specifier = ""]) => ({ specifier, names: [ALL] }));
  return [...statements, ...loaded];
}

/** Returns the names in `{ type A, b as c }`, as the imported file calls them. */
function namesIn(clause: string): string[] {
  const list = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  return list
    .split(",")
    .map((part) => part.replace(/\/\/.*/g, "").trim())
    .map((part) => part.replace(/^type\s+/, "").replace(/\s+as\s+.*$/, ""));
}
