import type { CommandGroup } from "../../command.ts";

/** What administrators of an installation do. */
export const adminCommands: CommandGroup = {
  title: "Administration",
  commands: [],
};
