import type { CommandGroup } from "../../command.ts";

/** What administrators of an installation do. */
export const adminCommands: CommandGroup = {
  title: "Administration",
  commands: [
    {
      name: "admin users list",
      purpose: "every account",
      load: async () => (await import("./users/users-list.ts")).usersList,
    },
    {
      name: "admin users show",
      purpose: "one account",
      load: async () => (await import("./users/users-show.ts")).usersShow,
    },
    {
      name: "admin users set-role",
      purpose: "make somebody administrator, or no longer",
      load: async () => (await import("./users/users-set-role.ts")).usersSetRole,
    },
    {
      name: "admin users disable",
      purpose: "sign somebody out, and let them in no longer",
      load: async () => (await import("./users/switch-user.ts")).usersDisable,
    },
    {
      name: "admin users enable",
      purpose: "let somebody in again",
      load: async () => (await import("./users/switch-user.ts")).usersEnable,
    },
    {
      name: "admin users delete",
      purpose: "delete an account",
      load: async () => (await import("./users/users-delete.ts")).usersDelete,
    },
    {
      name: "admin orgs list",
      purpose: "every organization, with its balance",
      load: async () => (await import("./orgs-list.ts")).adminOrgsList,
    },
    {
      name: "admin models list",
      purpose: "every deployment behind every model",
      load: async () => (await import("./models/models-list.ts")).adminModelsList,
    },
    {
      name: "admin models test",
      purpose: "one call to a deployment, now",
      load: async () => (await import("./models/models-test.ts")).adminModelsTest,
    },
    {
      name: "admin models create",
      purpose: "offer a model",
      load: async () => (await import("./models/models-create.ts")).adminModelsCreate,
    },
    {
      name: "admin models update",
      purpose: "change a model, its prices or its state",
      load: async () => (await import("./models/models-update.ts")).adminModelsUpdate,
    },
    {
      name: "admin models disable",
      purpose: "serve a model no longer",
      load: async () => (await import("./models/models-disable.ts")).adminModelsDisable,
    },
    {
      name: "admin models delete",
      purpose: "delete a model",
      load: async () => (await import("./models/models-delete.ts")).adminModelsDelete,
    },
    {
      name: "admin providers list",
      purpose: "providers of the database",
      load: async () => (await import("./providers/providers-list.ts")).adminProvidersList,
    },
    {
      name: "admin providers create",
      purpose: "add a provider",
      load: async () => (await import("./providers/providers-create.ts")).adminProvidersCreate,
    },
    {
      name: "admin providers update",
      purpose: "change a provider, or its credential",
      load: async () => (await import("./providers/providers-update.ts")).adminProvidersUpdate,
    },
    {
      name: "admin providers delete",
      purpose: "delete a provider",
      load: async () => (await import("./providers/providers-delete.ts")).adminProvidersDelete,
    },
    {
      name: "admin credits grant",
      aliases: ["admin grant"],
      purpose: "give an organization credit",
      load: async () => (await import("./credits-grant.ts")).creditsGrant,
    },
    {
      name: "admin teams block",
      purpose: "block a team, whatever its balance",
      load: async () => (await import("./teams/teams-block.ts")).teamsBlock,
    },
    {
      name: "admin teams unblock",
      purpose: "lift a block",
      load: async () => (await import("./teams/teams-unblock.ts")).teamsUnblock,
    },
    {
      name: "admin audit",
      purpose: "who changed what",
      load: async () => (await import("./audit.ts")).audit,
    },
    {
      name: "admin reconcile",
      purpose: "prove that the books agree",
      load: async () => (await import("./reconcile.ts")).reconcile,
    },
  ],
};
