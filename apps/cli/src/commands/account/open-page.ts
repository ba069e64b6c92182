import { defineCommand } from "../../command.ts";
import { openBrowser } from "../../open-browser.ts";

const pages: Readonly<Record<string, string>> = {
  home: "/ui/",
  keys: "/ui/keys",
  teams: "/ui/teams",
  members: "/ui/members",
  credits: "/ui/credits",
  usage: "/ui/usage",
  logs: "/ui/logs",
  playground: "/ui/playground",
  models: "/ui/model_hub_table",
  assistants: "/ui/assistants",
  health: "/ui/health",
  training: "/ui/training",
  settings: "/ui/settings",
  forgot: "/ui/forgot",
  docs: "/docs",
  api: "/docs/api",
};

/** `tollgate open`: opens a console page in the browser. */
export const openPage = defineCommand({
  examples: ["tollgate open", "tollgate open logs"],
  arguments: [
    { name: "page", description: "Console page; defaults to home", optional: true, choices: Object.keys(pages) },
  ],
  fields: ["url", "opened"],
  async run(context, _, { page = "home" }) {
    const url = `${context.url}${pages[page]}`;
    const opened = await openBrowser(url, context.io);
    context.output.record({ url, opened }, () => `${url}\n`);
  },
});
