import type { CommandGroup } from "./command.ts";
import { accountCommands } from "./commands/account/account-commands.ts";
import { adminCommands } from "./commands/admin/admin-commands.ts";
import { inferenceCommands } from "./commands/inference/inference-commands.ts";
import { manageCommands } from "./commands/manage/manage-commands.ts";

/** All commands, in the order in which the help lists them. */
export const commandGroups: readonly CommandGroup[] = [
  accountCommands,
  inferenceCommands,
  manageCommands,
  adminCommands,
];
