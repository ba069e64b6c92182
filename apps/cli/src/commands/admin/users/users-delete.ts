import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { countOf } from "../../manage/count-of.ts";
import { findUserId } from "../find-user.ts";

/** The `tollgate admin users delete` command. */
export const usersDelete = defineCommand({
  kind: "change",
  examples: ["tollgate admin users delete ann@example.org", "tollgate admin users delete 12 --yes"],
  arguments: [{ name: "user", description: "Email address or user ID" }],
  fields: ["deleted"],
  operations: ["getUser", "deleteUser"],
  async run(context, _flags, { user: wanted }) {
    const id = await findUserId(context, wanted);
    const { user, organizations, keyCount } = await context.platform.call("getUser", { params: { id } });
    const plan = {
      summary: `Delete user ${user.email} (${id})`,
      lines: [
        `The user belongs to ${countOf(organizations.length, "organization")} and created ${countOf(keyCount, "key")}.`,
        "This cannot be undone.",
      ],
      confirm: user.email,
    };
    if (!(await context.confirms(plan))) return;
    const answer = await withRecentPassword(context, () => context.platform.call("deleteUser", { params: { id } }));
    context.output.done(`Deleted user ${user.email}`);
    if (context.output.isJson) context.output.record(answer, () => "");
  },
});
