import type { CommandGroup } from "../../command.ts";

/** Commands for administrators. */
export const adminCommands: CommandGroup = {
  name: "admin",
  title: "Administration",
  summary: "Users, organizations, models, providers, credit, and audit log",
  commands: [
    {
      name: "admin users list",
      purpose: "List all users",
      load: async () => (await import("./users/users-list.ts")).usersList,
    },
    {
      name: "admin users show",
      purpose: "Show a user",
      load: async () => (await import("./users/users-show.ts")).usersShow,
    },
    {
      name: "admin users set-role",
      purpose: "Grant or revoke the administrator role",
      load: async () => (await import("./users/users-set-role.ts")).usersSetRole,
    },
    {
      name: "admin users disable",
      purpose: "Disable a user and end their sessions",
      load: async () => (await import("./users/switch-user.ts")).usersDisable,
    },
    {
      name: "admin users enable",
      purpose: "Re-enable a user",
      load: async () => (await import("./users/switch-user.ts")).usersEnable,
    },
    {
      name: "admin users delete",
      purpose: "Delete a user",
      load: async () => (await import("./users/users-delete.ts")).usersDelete,
    },
    {
      name: "admin orgs list",
      purpose: "List all organizations with their balances",
      load: async () => (await import("./orgs-list.ts")).adminOrgsList,
    },
    {
      name: "admin prices list",
      purpose: "List an organization's own prices",
      load: async () => (await import("./prices/prices-list.ts")).adminPricesList,
    },
    {
      name: "admin prices set",
      purpose: "Set an organization's price of a model",
      load: async () => (await import("./prices/prices-set.ts")).adminPricesSet,
    },
    {
      name: "admin prices delete",
      purpose: "Delete an organization's price of a model",
      load: async () => (await import("./prices/prices-delete.ts")).adminPricesDelete,
    },
    {
      name: "admin models list",
      purpose: "List the deployments of all models",
      load: async () => (await import("./models/models-list.ts")).adminModelsList,
    },
    {
      name: "admin models test",
      purpose: "Send a test request to a deployment",
      load: async () => (await import("./models/models-test.ts")).adminModelsTest,
    },
    {
      name: "admin models create",
      purpose: "Create a model",
      load: async () => (await import("./models/models-create.ts")).adminModelsCreate,
    },
    {
      name: "admin models update",
      purpose: "Update a model, its prices, or its status",
      load: async () => (await import("./models/models-update.ts")).adminModelsUpdate,
    },
    {
      name: "admin models disable",
      purpose: "Disable a model",
      load: async () => (await import("./models/models-disable.ts")).adminModelsDisable,
    },
    {
      name: "admin models delete",
      purpose: "Delete a model",
      load: async () => (await import("./models/models-delete.ts")).adminModelsDelete,
    },
    {
      name: "admin providers list",
      purpose: "List the providers managed in the console",
      load: async () => (await import("./providers/providers-list.ts")).adminProvidersList,
    },
    {
      name: "admin providers create",
      purpose: "Create a provider",
      load: async () => (await import("./providers/providers-create.ts")).adminProvidersCreate,
    },
    {
      name: "admin providers update",
      purpose: "Update a provider or its API key",
      load: async () => (await import("./providers/providers-update.ts")).adminProvidersUpdate,
    },
    {
      name: "admin providers delete",
      purpose: "Delete a provider",
      load: async () => (await import("./providers/providers-delete.ts")).adminProvidersDelete,
    },
    {
      name: "admin credits grant",
      aliases: ["admin grant"],
      purpose: "Grant credit to an organization",
      load: async () => (await import("./credits-grant.ts")).creditsGrant,
    },
    {
      name: "admin teams block",
      purpose: "Block a team, regardless of its balance",
      load: async () => (await import("./teams/teams-block.ts")).teamsBlock,
    },
    {
      name: "admin teams unblock",
      purpose: "Unblock a team",
      load: async () => (await import("./teams/teams-unblock.ts")).teamsUnblock,
    },
    {
      name: "admin audit",
      purpose: "List audit log entries",
      load: async () => (await import("./audit.ts")).audit,
    },
    {
      name: "admin reconcile",
      purpose: "Run the ledger checks and show the results",
      load: async () => (await import("./reconcile.ts")).reconcile,
    },
  ],
};
