import type { CommandGroup } from "../../command.ts";

/** Models and calls to them. */
export const inferenceCommands: CommandGroup = {
  title: "Models and calls",
  commands: [],
};
