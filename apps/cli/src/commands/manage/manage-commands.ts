import type { CommandGroup } from "../../command.ts";

/** Commands for models, keys, members, credits, and usage. */
export const manageCommands: CommandGroup = {
  name: "manage",
  title: "Models, keys, teams, credits, and usage",
  summary: "Models, keys, teams, members, credits, usage, logs, and webhooks",
  commands: [
    {
      name: "models list",
      aliases: ["models"],
      purpose: "List models and prices",
      load: async () => (await import("./models/models-list.ts")).modelsList,
    },
    {
      name: "models show",
      purpose: "Show a model",
      load: async () => (await import("./models/models-show.ts")).modelsShow,
    },
    {
      name: "models compare",
      purpose: "Compare models side by side",
      load: async () => (await import("./models/models-compare.ts")).modelsCompare,
    },
    {
      name: "providers list",
      aliases: ["providers"],
      purpose: "List model providers",
      load: async () => (await import("./models/providers-list.ts")).providersList,
    },
    {
      name: "keys list",
      purpose: "List API keys",
      load: async () => (await import("./keys/keys-list.ts")).keysList,
    },
    {
      name: "keys create",
      purpose: "Create an API key (secret printed once)",
      load: async () => (await import("./keys/keys-create.ts")).keysCreate,
    },
    {
      name: "keys show",
      purpose: "Show a key with its limits and spend",
      load: async () => (await import("./keys/keys-show.ts")).keysShow,
    },
    {
      name: "keys update",
      purpose: "Update a key's models, limits, budget, or expiration",
      load: async () => (await import("./keys/keys-update.ts")).keysUpdate,
    },
    {
      name: "keys rename",
      purpose: "Rename a key",
      load: async () => (await import("./keys/keys-rename.ts")).keysRename,
    },
    {
      name: "keys rotate",
      purpose: "Rotate a key's secret (printed once)",
      load: async () => (await import("./keys/keys-rotate.ts")).keysRotate,
    },
    {
      name: "keys disable",
      purpose: "Disable keys",
      load: async () => (await import("./keys/keys-disable.ts")).keysDisable,
    },
    {
      name: "keys enable",
      purpose: "Enable keys",
      load: async () => (await import("./keys/keys-enable.ts")).keysEnable,
    },
    {
      name: "keys delete",
      aliases: ["keys remove"],
      purpose: "Delete keys",
      load: async () => (await import("./keys/keys-delete.ts")).keysDelete,
    },
    {
      name: "teams list",
      purpose: "List teams",
      load: async () => (await import("./teams/teams-list.ts")).teamsList,
    },
    {
      name: "teams create",
      purpose: "Create a team",
      load: async () => (await import("./teams/teams-create.ts")).teamsCreate,
    },
    {
      name: "teams show",
      purpose: "Show a team and its members",
      load: async () => (await import("./teams/teams-show.ts")).teamsShow,
    },
    {
      name: "teams update",
      purpose: "Update a team's name, models, limits, or budget",
      load: async () => (await import("./teams/teams-update.ts")).teamsUpdate,
    },
    {
      name: "teams delete",
      purpose: "Delete a team and revoke its keys",
      load: async () => (await import("./teams/teams-delete.ts")).teamsDelete,
    },
    {
      name: "teams invite",
      purpose: "Invite a user to a team",
      load: async () => (await import("./teams/teams-invite.ts")).teamsInvite,
    },
    {
      name: "teams remove-member",
      purpose: "Remove a member from a team",
      load: async () => (await import("./teams/teams-remove-member.ts")).teamsRemoveMember,
    },
    {
      name: "teams set-role",
      purpose: "Change a member's role in a team",
      load: async () => (await import("./teams/teams-set-role.ts")).teamsSetRole,
    },
    {
      name: "members list",
      aliases: ["members"],
      purpose: "List organization members",
      load: async () => (await import("./members/members-list.ts")).membersList,
    },
    {
      name: "members invite",
      purpose: "Invite a user to the organization",
      load: async () => (await import("./members/members-invite.ts")).membersInvite,
    },
    {
      name: "members remove",
      purpose: "Remove a member from the organization",
      load: async () => (await import("./members/members-remove.ts")).membersRemove,
    },
    {
      name: "members set-role",
      purpose: "Change a member's role in the organization",
      load: async () => (await import("./members/members-set-role.ts")).membersSetRole,
    },
    {
      name: "invitations list",
      aliases: ["invitations", "teams invitations"],
      purpose: "List invitations that you received or sent",
      load: async () => (await import("./invitations/invitations-list.ts")).invitationsList,
    },
    {
      name: "invitations accept",
      purpose: "Accept an invitation",
      load: async () => (await import("./invitations/invitations-accept.ts")).invitationsAccept,
    },
    {
      name: "invitations decline",
      purpose: "Decline an invitation",
      load: async () => (await import("./invitations/invitations-decline.ts")).invitationsDecline,
    },
    {
      name: "invitations revoke",
      purpose: "Revoke an invitation",
      load: async () => (await import("./invitations/invitations-revoke.ts")).invitationsRevoke,
    },
    {
      name: "balance",
      aliases: ["credits", "credits show", "credits balance"],
      purpose: "Show the credit balance and how long it will last",
      load: async () => (await import("./credits/balance.ts")).balance,
    },
    {
      name: "quota",
      purpose: "Show credit totals",
      load: async () => (await import("./credits/quota.ts")).quota,
    },
    {
      name: "credits buy",
      purpose: "Buy credits and wait for the payment",
      load: async () => (await import("./credits/credits-buy.ts")).creditsBuy,
    },
    {
      name: "credits orders",
      aliases: ["credits purchases", "orders", "purchases"],
      purpose: "List credit orders",
      load: async () => (await import("./credits/credits-orders.ts")).creditsOrders,
    },
    {
      name: "credits orders show",
      aliases: ["orders show", "purchases show"],
      purpose: "Show a credit order and its history",
      load: async () => (await import("./credits/credits-orders-show.ts")).creditsOrdersShow,
    },
    {
      name: "credits ledger",
      aliases: ["credits transactions", "ledger", "transactions"],
      purpose: "List ledger entries",
      load: async () => (await import("./credits/credits-ledger.ts")).creditsLedger,
    },
    {
      name: "usage",
      purpose: "Show requests, tokens, and cost",
      load: async () => (await import("./usage/usage.ts")).usage,
    },
    {
      name: "logs list",
      aliases: ["logs"],
      purpose: "List requests, newest first",
      load: async () => (await import("./logs/logs-list.ts")).logsList,
    },
    {
      name: "logs show",
      purpose: "Show a request's timing and cost",
      load: async () => (await import("./logs/logs-show.ts")).logsShow,
    },
    {
      name: "logs tail",
      aliases: ["logs follow"],
      purpose: "Print requests as they finish",
      load: async () => (await import("./logs/logs-tail.ts")).logsTail,
    },
    {
      name: "logs export",
      purpose: "Export requests to a CSV file",
      load: async () => (await import("./logs/logs-export.ts")).logsExport,
    },
    {
      name: "webhooks list",
      aliases: ["webhooks"],
      purpose: "List webhooks",
      load: async () => (await import("./webhooks/webhooks-list.ts")).webhooksList,
    },
    {
      name: "webhooks create",
      purpose: "Create a webhook",
      load: async () => (await import("./webhooks/webhooks-create.ts")).webhooksCreate,
    },
    {
      name: "webhooks delete",
      purpose: "Delete a webhook",
      load: async () => (await import("./webhooks/webhooks-delete.ts")).webhooksDelete,
    },
  ],
};
