import type { CommandGroup } from "../command.ts";
import { exitMeanings } from "../exit-codes.ts";
import { changeFlags, globalFlags, listFlags } from "../global-flags.ts";
import { usageOf } from "./format-help.ts";

/** Returns the command tree as data, for programs. */
export async function describeCommands(groups: readonly CommandGroup[], version: string): Promise<object> {
  const commands = await Promise.all(
    groups.flatMap(({ title, commands: entries }) =>
      entries.map(async (entry) => {
        if (!("load" in entry))
          return { name: entry.name, group: title, purpose: entry.purpose, help: `tollgate ${entry.name} --help` };
        const { run: _, flags = {}, ...command } = await entry.load();
        return {
          name: entry.name,
          aliases: entry.aliases ?? [],
          group: title,
          purpose: entry.purpose,
          usage: usageOf(entry.name, command),
          ...command,
          flags: {
            ...flags,
            ...(command.kind === "list" && listFlags),
            ...(command.kind === "change" && changeFlags),
          },
        };
      }),
    ),
  );
  return { name: "tollgate", version, globalFlags, exitCodes: exitMeanings, commands };
}
