import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Part of pnpm-workspace.yaml that controls installation. */
export interface InstallSettings {
  readonly allowBuilds?: Readonly<Record<string, boolean>>;
  readonly strictDepBuilds?: boolean;
  readonly dangerouslyAllowAllBuilds?: boolean;
  readonly minimumReleaseAge?: number;
  readonly blockExoticSubdeps?: boolean;
}

const TWO_WEEKS_MINUTES = 14 * 24 * 60;

/** Finds package manager settings that would allow unreviewed packages. */
export function findLooseSettings(settings: InstallSettings): string[] {
  const problems: string[] = [];
  if (settings.allowBuilds === undefined)
    problems.push("allowBuilds is missing: it names who may run a script when installed");
  if (settings.strictDepBuilds !== true)
    problems.push("strictDepBuilds is not true: new install scripts would pass unseen");
  if (settings.dangerouslyAllowAllBuilds === true)
    problems.push("dangerouslyAllowAllBuilds lets every install script run");
  if ((settings.minimumReleaseAge ?? 0) < TWO_WEEKS_MINUTES) problems.push("minimumReleaseAge is below 14 days");
  if (settings.blockExoticSubdeps !== true)
    problems.push("blockExoticSubdeps is not true: dependencies may come from anywhere");
  return problems;
}

/** Finds installed packages with install scripts that are not on the reviewed list. */
export function findUnreviewedScripts(store: string, settings: InstallSettings): string[] {
  const reviewed = settings.allowBuilds ?? {};
  return listPackages(store)
    .filter(({ name, folder }) => wantsScript(folder) && !(name in reviewed))
    .map(({ name }) => `${name} runs an install script that has not been reviewed (allowBuilds)`);
}

/**
 * Lists every package pnpm unpacked: `<store>/<name@version>/node_modules/<name>`. Linked packages have their own
 * folder.
 */
function listPackages(store: string): { name: string; folder: string }[] {
  return readdirSync(store).flatMap((place) => {
    const modules = join(store, place, "node_modules");
    if (place === "node_modules" || !existsSync(modules)) return [];
    return readdirSync(modules, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) =>
        name.startsWith("@")
          ? readdirSync(join(modules, name), { withFileTypes: true })
              .filter((entry) => entry.isDirectory())
              .map((entry) => `${name}/${entry.name}`)
          : [name],
      )
      .map((name) => ({ name, folder: join(modules, name) }));
  });
}

function wantsScript(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  const { scripts = {} } = JSON.parse(readFileSync(file, "utf8")) as { scripts?: Record<string, string> };
  return (
    ["preinstall", "install", "postinstall"].some((name) => name in scripts) || existsSync(join(folder, "binding.gyp"))
  );
}
