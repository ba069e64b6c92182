import type { Import } from "./find-broken-arrows.ts";

/**
 * Folders of the gateway, lowest floor first. A file imports only from its own folder or from a folder before it
 * (decision 53). Files outside of a folder, such as `app.ts`, connect the others and stand on the top floor.
 */
const floors: readonly string[] = [
  "call",
  "wire",
  "tokens",
  "operations",
  "providers",
  "models",
  "limits",
  "cache",
  "guardrails",
  "health",
  "assistants",
  "responses",
  "accounting",
  "pipeline",
  "metrics",
  "telemetry",
  "http",
  "journal",
  "delivery",
  "adapters",
];
const TOP = "app";
const source = /^apps\/gateway\/src\/(?:([^/]+)\/)?/;
const tests = /\.(?:test|fixture|scratch)\.tsx?$/;

/** Returns the imports between two files of the gateway, without tests. */
export function importsInGateway(imports: readonly Import[]): Import[] {
  return imports.filter(({ from, to }) => source.test(from) && source.test(to) && !tests.test(from));
}

/** Describes every import in the gateway that points up, or from or to a folder without a floor. */
export function findUpwardImports(imports: readonly Import[]): string[] {
  return importsInGateway(imports)
    .filter(pointsUp)
    .map(({ from, to }) => `${from} imports ${to}: ${folderOf(from)} is not above ${folderOf(to)}`);
}

/** Returns the arrows between folders of the gateway that point up, such as `cache -> pipeline`. */
export function findBackArrows(imports: readonly Import[]): string[] {
  const arrows = importsInGateway(imports)
    .filter(pointsUp)
    .map(({ from, to }) => `${folderOf(from)} -> ${folderOf(to)}`);
  return [...new Set(arrows)].toSorted();
}

function pointsUp({ from, to }: Import): boolean {
  const [above, below] = [folderOf(from), folderOf(to)];
  if (above === TOP) return below !== TOP && !floors.includes(below);
  if (above === below) return !floors.includes(above);
  return !floors.includes(below) || floors.indexOf(below) > floors.indexOf(above);
}

const folderOf = (path: string): string => source.exec(path)?.[1] ?? TOP;
