import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { NotFound } from "./not-found.ts";

const PLAN_NAMES: readonly string[] = ["plan.yaml", "plan.yml"];

interface FoundPlan {
  readonly file: string;
  /** Name of the folder that contains the plan, printed if it isn't the current folder. */
  readonly inFolder: string | null;
}

/**
 * Finds the requested plan. By default, this is the plan in the current folder, or in the only subfolder that has a
 * plan.
 */
export function findPlan(cwd: string, asked: string | undefined): FoundPlan {
  if (asked !== undefined) {
    const path = resolve(cwd, asked);
    if (!existsSync(path)) throw new NotFound(`No plan found at '${asked}'.`);
    const file = statSync(path).isDirectory() ? planIn(path) : path;
    if (file === null)
      throw new NotFound(`No plan.yaml found in '${asked}'. To create a project: tollgate train new demo`);
    return { file, inFolder: null };
  }
  const here = planIn(cwd);
  if (here !== null) return { file: here, inFolder: null };
  const beneath = foldersIn(cwd).flatMap((name) => {
    const file = planIn(join(cwd, name));
    return file === null ? [] : [{ file, inFolder: name }];
  });
  const [only] = beneath;
  if (only === undefined) {
    throw new NotFound("No plan.yaml found in this directory. To create a project: tollgate train new demo");
  }
  if (beneath.length > 1) {
    const names = beneath.map(({ inFolder }) => inFolder).join(", ");
    throw new NotFound(
      `No plan.yaml in this directory, but several subdirectories contain one: ${names}. Choose one, for example: tollgate train run ${only.inFolder}`,
    );
  }
  return only;
}

function planIn(folder: string): string | null {
  return PLAN_NAMES.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .toSorted();
}
