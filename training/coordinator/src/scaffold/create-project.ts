import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { makeFolder } from "../project/make-folder.ts";
import { makeDemoData } from "./make-demo-data.ts";

export type Language = "python" | "typescript";

export const LANGUAGES: readonly Language[] = ["python", "typescript"];

/** A project cannot be created in this folder. */
export class ScaffoldRefused extends Error {}

const TEMPLATES = join(import.meta.dirname, "templates");
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FILES: Readonly<Record<Language, readonly string[]>> = {
  python: ["python/participant.py", "python/plan.yaml", "python/requirements.txt", "python/README.md"],
  typescript: [
    "typescript/participant.ts",
    "typescript/plan.yaml",
    "typescript/package.json",
    // Both languages share the same README.
    "python/README.md",
  ],
};

/** Creates a project that runs without changes, and returns its files. Throws if the folder isn't empty. */
export function createProject(folder: string, language: Language): string[] {
  const name = basename(folder);
  if (!NAME.test(name)) {
    throw new ScaffoldRefused(`Invalid name '${name}'. Use letters, digits, dots, dashes, and underscores.`);
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ScaffoldRefused(`${folder} is not empty. Choose another name, or empty the directory.`);
  }
  makeFolder(folder);
  const participant = language === "python" ? "participant.py" : "participant.ts";
  const written = FILES[language].map((template) => {
    const file = basename(template);
    const text = readFileSync(join(TEMPLATES, template), "utf8");
    const filled = text.replaceAll("PROJECT_NAME", name).replaceAll("PARTICIPANT_FILE", participant);
    writeFileSync(join(folder, file), filled);
    return file;
  });
  writeFileSync(join(folder, "data.csv"), makeDemoData());
  writeFileSync(join(folder, ".gitignore"), "runs/\nnode_modules/\n__pycache__/\n");
  return [...written, "data.csv", ".gitignore"];
}
