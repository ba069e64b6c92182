import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandGroups } from "../../apps/cli/src/command-groups.ts";
import { changeFlags, globalFlags, listFlags } from "../../apps/cli/src/global-flags.ts";
import { serverCommands } from "../../apps/server/src/server-commands.ts";
import { alertGroups } from "../../scripts/observability/alerts.ts";
import { metricRegistry } from "../../scripts/observability/metric-registry.ts";

const folder = join(import.meta.dirname, "../../docs/observe/runbooks");
const alerts = alertGroups.flatMap((group) => group.alerts);
const pages = readdirSync(folder).filter((file) => file.endsWith(".md") && file !== "index.md");
const read = (page: string) => readFileSync(join(folder, page), "utf8");

test("every alert has a page, and every page has an alert", () => {
  const wanted = [...new Set(alerts.map(({ page }) => `${page}.md`))];
  expect(pages.toSorted()).toEqual(wanted.toSorted());
});

test("a page names its alerts and has the sections of a runbook", () => {
  const headings = ["## Symptoms", "## Impact", "## Diagnosis", "## Resolution", "## Verification"];
  for (const page of pages) {
    const text = read(page);
    const found = text.split("\n").filter((line) => line.startsWith("## "));
    expect(found, page).toEqual(headings);
    for (const { name } of alerts.filter((alert) => `${alert.page}.md` === page)) expect(text, page).toContain(name);
  }
});

test("every command that a page names exists and accepts the given flags", async () => {
  const known = await flagsByCommand();
  const named = pages.flatMap((page) => commandsIn(read(page)).map((line) => ({ page, line })));
  expect(named.length).toBeGreaterThan(40);
  const wrong = named.filter(({ line }) => {
    const [name] = [...known.keys()]
      .filter((one) => `${line} `.startsWith(`${one} `))
      .toSorted((x, y) => y.length - x.length);
    const flags = (line.match(/ --[a-z-]+/g) ?? []).map((flag) => flag.trim());
    return name === undefined || flags.some((flag) => !known.get(name)?.includes(flag));
  });
  expect(wrong).toEqual([]);
});

test("every metric that a page names exists", () => {
  const named = pages.flatMap((page) => (read(page).match(/\bgw_\w+/g) ?? []).map((metric) => ({ page, metric })));
  const isKnown = (metric: string) => metricRegistry.has(metric) || metricRegistry.has(`${metric}_bucket`);
  // `gw_settings` is also a section of the settings file.
  expect(named.filter(({ metric }) => metric !== "gw_settings" && !isKnown(metric))).toEqual([]);
});

/** Returns the words after `tollgate ` in code spans. */
function commandsIn(text: string): readonly string[] {
  const code = [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(
    ([, block, inline]) => block ?? inline ?? "",
  );
  return code.flatMap((one) =>
    [...one.matchAll(/(?:^|\$ |\n *)tollgate ([a-z][^\n#|]*)/g)].map(([, rest = ""]) => rest.trim()),
  );
}

/** Returns every command by name, with its flags. */
async function flagsByCommand(): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  const common = Object.keys({ ...globalFlags, ...listFlags, ...changeFlags, json: true, csv: true });
  for (const entry of commandGroups.flatMap(({ commands }) => commands)) {
    if (!("load" in entry)) continue;
    const { flags = {} } = await entry.load();
    known.set(
      entry.name,
      [...Object.keys(flags), ...common].map((flag) => `--${flag}`),
    );
  }
  let help = "";
  const write = (text: string) => {
    help += text;
    return true;
  };
  for (const { name, runAs } of serverCommands({ stdout: { write }, stderr: { write }, env: {}, cwd: "/" })) {
    help = "";
    await runAs(["--help"]);
    known.set(name, help.match(/--[a-z-]+/g) ?? []);
  }
  return known;
}
