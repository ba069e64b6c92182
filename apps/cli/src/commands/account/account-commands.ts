import type { CommandGroup } from "../../command.ts";

/** Signing in, settings, and the command line itself. */
export const accountCommands: CommandGroup = {
  title: "Account and connection",
  commands: [
    {
      name: "login",
      purpose: "sign in, in the browser or with a password",
      load: async () => (await import("./auth/login.ts")).login,
    },
    {
      name: "logout",
      purpose: "end the session and forget it here",
      load: async () => (await import("./auth/logout.ts")).logout,
    },
    { name: "signup", purpose: "make an account", load: async () => (await import("./auth/signup.ts")).signup },
    { name: "whoami", purpose: "who is signed in", load: async () => (await import("./auth/whoami.ts")).whoami },
    {
      name: "status",
      purpose: "account, balance and readiness on one screen",
      load: async () => (await import("./status.ts")).status,
    },
    {
      name: "auth status",
      purpose: "where the credential is kept, and until when it is good",
      load: async () => (await import("./auth/auth-status.ts")).authStatus,
    },
    {
      name: "auth refresh",
      purpose: "renew the sign-in now",
      load: async () => (await import("./auth/auth-refresh.ts")).authRefresh,
    },
    {
      name: "auth token",
      purpose: "print the token for scripts",
      load: async () => (await import("./auth/auth-token.ts")).authToken,
    },
    {
      name: "orgs list",
      purpose: "the organizations you belong to",
      load: async () => (await import("./orgs/orgs-list.ts")).orgsList,
    },
    {
      name: "orgs use",
      purpose: "work in another organization",
      load: async () => (await import("./orgs/orgs-use.ts")).orgsUse,
    },
    {
      name: "orgs update",
      purpose: "change the organization in use",
      load: async () => (await import("./orgs/orgs-update.ts")).orgsUpdate,
    },
    {
      name: "profiles list",
      aliases: ["profiles"],
      purpose: "named connections of this computer",
      load: async () => (await import("./profiles/profiles-list.ts")).profilesList,
    },
    {
      name: "profiles use",
      purpose: "use another connection from now on",
      load: async () => (await import("./profiles/profiles-use.ts")).profilesUse,
    },
    {
      name: "profiles delete",
      purpose: "forget a connection",
      load: async () => (await import("./profiles/profiles-delete.ts")).profilesDelete,
    },
    {
      name: "config show",
      purpose: "the settings in effect",
      load: async () => (await import("./config/config-show.ts")).configShow,
    },
    {
      name: "config set",
      purpose: "change a setting of this profile",
      load: async () => (await import("./config/config-set.ts")).configSet,
    },
    {
      name: "config path",
      purpose: "which files are read",
      load: async () => (await import("./config/config-paths.ts")).configPaths,
    },
    {
      name: "api",
      purpose: "any request of the interface, signed in",
      load: async () => (await import("./api.ts")).api,
    },
    {
      name: "open",
      purpose: "a page of the console in the browser",
      load: async () => (await import("./open-page.ts")).openPage,
    },
    {
      name: "doctor client",
      purpose: "check everything between here and an installation",
      load: async () => (await import("./doctor/doctor-client.ts")).doctorClient,
    },
    {
      name: "completion",
      purpose: "the completion script of a shell",
      load: async () => (await import("./completion.ts")).completion,
    },
    {
      name: "upgrade",
      purpose: "how to get a newer version",
      load: async () => (await import("./upgrade.ts")).upgrade,
    },
    {
      name: "version",
      purpose: "print the version",
      load: async () => (await import("./show-version.ts")).showVersion,
    },
  ],
};
