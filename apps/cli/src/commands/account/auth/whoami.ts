import { defineCommand } from "../../../command.ts";

/** The `tollgate whoami` command. */
export const whoami = defineCommand({
  examples: ["tollgate whoami", "tollgate whoami --jq .user.email"],
  fields: ["user", "activeOrganizationId", "session"],
  operations: ["getMe"],
  async run(context) {
    const me = await context.platform.call("getMe");
    context.output.pairs(me, [
      ["email", me.user.email],
      ["name", me.user.name],
      ["role", me.user.role],
      ["organization", me.activeOrganizationId],
      ["platform", context.url],
      ["profile", context.settings.profile],
    ]);
  },
});
