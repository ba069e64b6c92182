import type { CommandGroup } from "../../command.ts";

/** Keys, teams, credits and what was used. */
export const manageCommands: CommandGroup = {
  title: "Keys, teams, credits and usage",
  commands: [
    {
      name: "keys list",
      purpose: "the organization's API keys",
      load: async () => (await import("./keys/keys-list.ts")).keysList,
    },
    {
      name: "keys create",
      purpose: "make an API key; its secret is printed once",
      load: async () => (await import("./keys/keys-create.ts")).keysCreate,
    },
  ],
};
