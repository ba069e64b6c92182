import type { CommandGroup } from "../../command.ts";

/** Commands for sign-in, settings, and the CLI itself. */
export const accountCommands: CommandGroup = {
  name: "account",
  title: "Account and connection",
  summary: "Sign-in, organizations, profiles, and CLI settings",
  commands: [
    {
      name: "login",
      purpose: "Sign in through the browser or with a password",
      load: async () => (await import("./auth/login.ts")).login,
    },
    {
      name: "logout",
      purpose: "Sign out and delete the stored credentials",
      load: async () => (await import("./auth/logout.ts")).logout,
    },
    { name: "signup", purpose: "Create an account", load: async () => (await import("./auth/signup.ts")).signup },
    { name: "whoami", purpose: "Show the signed-in user", load: async () => (await import("./auth/whoami.ts")).whoami },
    {
      name: "status",
      purpose: "Show account, balance, and gateway status",
      load: async () => (await import("./status.ts")).status,
    },
    {
      name: "auth status",
      purpose: "Show where credentials are stored and when they expire",
      load: async () => (await import("./auth/auth-status.ts")).authStatus,
    },
    {
      name: "auth refresh",
      purpose: "Renew the session token",
      load: async () => (await import("./auth/auth-refresh.ts")).authRefresh,
    },
    {
      name: "auth token",
      purpose: "Print the session token for use in scripts",
      load: async () => (await import("./auth/auth-token.ts")).authToken,
    },
    {
      name: "orgs list",
      purpose: "List your organizations",
      load: async () => (await import("./orgs/orgs-list.ts")).orgsList,
    },
    {
      name: "orgs use",
      purpose: "Switch to another organization",
      load: async () => (await import("./orgs/orgs-use.ts")).orgsUse,
    },
    {
      name: "orgs update",
      purpose: "Update the current organization",
      load: async () => (await import("./orgs/orgs-update.ts")).orgsUpdate,
    },
    {
      name: "profiles list",
      aliases: ["profiles"],
      purpose: "List connection profiles on this computer",
      load: async () => (await import("./profiles/profiles-list.ts")).profilesList,
    },
    {
      name: "profiles use",
      purpose: "Switch to another profile",
      load: async () => (await import("./profiles/profiles-use.ts")).profilesUse,
    },
    {
      name: "profiles delete",
      purpose: "Delete a profile",
      load: async () => (await import("./profiles/profiles-delete.ts")).profilesDelete,
    },
    {
      name: "config show",
      purpose: "Show the settings in effect",
      load: async () => (await import("./config/config-show.ts")).configShow,
    },
    {
      name: "config set",
      purpose: "Change a setting in this profile",
      load: async () => (await import("./config/config-set.ts")).configSet,
    },
    {
      name: "config path",
      purpose: "Show configuration file paths",
      load: async () => (await import("./config/config-paths.ts")).configPaths,
    },
    {
      name: "api",
      purpose: "Send an authenticated API request",
      load: async () => (await import("./api.ts")).api,
    },
    {
      name: "open",
      purpose: "Open a console page in the browser",
      load: async () => (await import("./open-page.ts")).openPage,
    },
    {
      name: "doctor client",
      purpose: "Check the connection to a server",
      load: async () => (await import("./doctor/doctor-client.ts")).doctorClient,
    },
    {
      name: "completion",
      purpose: "Print a shell completion script",
      load: async () => (await import("./completion.ts")).completion,
    },
    {
      name: "upgrade",
      purpose: "Show how to install a newer version",
      load: async () => (await import("./upgrade.ts")).upgrade,
    },
    {
      name: "version",
      purpose: "Print the version",
      load: async () => (await import("./show-version.ts")).showVersion,
    },
  ],
};
