import type { CommandGroup } from "../../command.ts";

/** Models, keys, people, credits and what was used. */
export const manageCommands: CommandGroup = {
  title: "Models, keys, teams, credits and usage",
  commands: [
    {
      name: "models list",
      aliases: ["models"],
      purpose: "what can be called, with prices",
      load: async () => (await import("./models/models-list.ts")).modelsList,
    },
    {
      name: "models show",
      purpose: "one model",
      load: async () => (await import("./models/models-show.ts")).modelsShow,
    },
    {
      name: "models compare",
      purpose: "models side by side",
      load: async () => (await import("./models/models-compare.ts")).modelsCompare,
    },
    {
      name: "providers list",
      aliases: ["providers"],
      purpose: "who answers the calls",
      load: async () => (await import("./models/providers-list.ts")).providersList,
    },
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
    {
      name: "keys show",
      purpose: "one key with its limits and what it spent",
      load: async () => (await import("./keys/keys-show.ts")).keysShow,
    },
    {
      name: "keys update",
      purpose: "what a key may use and spend, and until when",
      load: async () => (await import("./keys/keys-update.ts")).keysUpdate,
    },
    {
      name: "keys rename",
      purpose: "call a key something else",
      load: async () => (await import("./keys/keys-rename.ts")).keysRename,
    },
    {
      name: "keys rotate",
      purpose: "another secret for a key; printed once",
      load: async () => (await import("./keys/keys-rotate.ts")).keysRotate,
    },
    {
      name: "keys disable",
      purpose: "switch keys off",
      load: async () => (await import("./keys/keys-disable.ts")).keysDisable,
    },
    {
      name: "keys enable",
      purpose: "switch keys on again",
      load: async () => (await import("./keys/keys-enable.ts")).keysEnable,
    },
    {
      name: "keys delete",
      aliases: ["keys remove"],
      purpose: "end keys for good",
      load: async () => (await import("./keys/keys-delete.ts")).keysDelete,
    },
    {
      name: "teams list",
      purpose: "the organization's teams",
      load: async () => (await import("./teams/teams-list.ts")).teamsList,
    },
    {
      name: "teams create",
      purpose: "make a team",
      load: async () => (await import("./teams/teams-create.ts")).teamsCreate,
    },
    {
      name: "teams show",
      purpose: "one team with its people",
      load: async () => (await import("./teams/teams-show.ts")).teamsShow,
    },
    {
      name: "teams update",
      purpose: "its name and its limits",
      load: async () => (await import("./teams/teams-update.ts")).teamsUpdate,
    },
    {
      name: "teams delete",
      purpose: "end a team and its keys",
      load: async () => (await import("./teams/teams-delete.ts")).teamsDelete,
    },
    {
      name: "teams invite",
      purpose: "bring somebody into a team",
      load: async () => (await import("./teams/teams-invite.ts")).teamsInvite,
    },
    {
      name: "teams remove-member",
      purpose: "take somebody out of a team",
      load: async () => (await import("./teams/teams-remove-member.ts")).teamsRemoveMember,
    },
    {
      name: "teams set-role",
      purpose: "make somebody admin or member of a team",
      load: async () => (await import("./teams/teams-set-role.ts")).teamsSetRole,
    },
    {
      name: "members list",
      aliases: ["members"],
      purpose: "the people of the organization",
      load: async () => (await import("./members/members-list.ts")).membersList,
    },
    {
      name: "members invite",
      purpose: "bring somebody into the organization",
      load: async () => (await import("./members/members-invite.ts")).membersInvite,
    },
    {
      name: "members remove",
      purpose: "take somebody out of the organization",
      load: async () => (await import("./members/members-remove.ts")).membersRemove,
    },
    {
      name: "members set-role",
      purpose: "change somebody's role in the organization",
      load: async () => (await import("./members/members-set-role.ts")).membersSetRole,
    },
    {
      name: "invitations list",
      aliases: ["invitations", "teams invitations"],
      purpose: "invitations to you, or those that were sent",
      load: async () => (await import("./invitations/invitations-list.ts")).invitationsList,
    },
    {
      name: "invitations accept",
      purpose: "join",
      load: async () => (await import("./invitations/invitations-accept.ts")).invitationsAccept,
    },
    {
      name: "invitations decline",
      purpose: "do not join",
      load: async () => (await import("./invitations/invitations-decline.ts")).invitationsDecline,
    },
    {
      name: "invitations revoke",
      purpose: "take an invitation back",
      load: async () => (await import("./invitations/invitations-revoke.ts")).invitationsRevoke,
    },
    {
      name: "balance",
      aliases: ["credits", "credits show", "credits balance"],
      purpose: "what is left, and for how long",
      load: async () => (await import("./credits/balance.ts")).balance,
    },
    {
      name: "quota",
      purpose: "what came in and went out, in sum",
      load: async () => (await import("./credits/quota.ts")).quota,
    },
    {
      name: "credits buy",
      purpose: "order credits, and wait for them",
      load: async () => (await import("./credits/credits-buy.ts")).creditsBuy,
    },
    {
      name: "credits orders",
      aliases: ["credits purchases", "orders", "purchases"],
      purpose: "what was bought",
      load: async () => (await import("./credits/credits-orders.ts")).creditsOrders,
    },
    {
      name: "credits orders show",
      aliases: ["orders show", "purchases show"],
      purpose: "one order, step by step",
      load: async () => (await import("./credits/credits-orders-show.ts")).creditsOrdersShow,
    },
    {
      name: "credits ledger",
      aliases: ["credits transactions", "ledger", "transactions"],
      purpose: "every movement of the credit",
      load: async () => (await import("./credits/credits-ledger.ts")).creditsLedger,
    },
    {
      name: "usage",
      purpose: "requests, tokens and cost, summed up",
      load: async () => (await import("./usage/usage.ts")).usage,
    },
    {
      name: "logs list",
      aliases: ["logs"],
      purpose: "calls, the latest first",
      load: async () => (await import("./logs/logs-list.ts")).logsList,
    },
    {
      name: "logs show",
      purpose: "one call: where its time and money went",
      load: async () => (await import("./logs/logs-show.ts")).logsShow,
    },
    {
      name: "logs tail",
      aliases: ["logs follow"],
      purpose: "calls as they end",
      load: async () => (await import("./logs/logs-tail.ts")).logsTail,
    },
    {
      name: "logs export",
      purpose: "calls as a CSV file",
      load: async () => (await import("./logs/logs-export.ts")).logsExport,
    },
    {
      name: "webhooks list",
      aliases: ["webhooks"],
      purpose: "where events are posted",
      load: async () => (await import("./webhooks/webhooks-list.ts")).webhooksList,
    },
    {
      name: "webhooks create",
      purpose: "have events posted to an address",
      load: async () => (await import("./webhooks/webhooks-create.ts")).webhooksCreate,
    },
    {
      name: "webhooks delete",
      purpose: "post no more",
      load: async () => (await import("./webhooks/webhooks-delete.ts")).webhooksDelete,
    },
  ],
};
