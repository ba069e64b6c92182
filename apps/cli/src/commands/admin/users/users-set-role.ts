import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { findUserId } from "../find-user.ts";
import { userFields } from "./user-fields.ts";

/** The `tollgate admin users set-role` command. */
export const usersSetRole = defineCommand({
  kind: "change",
  examples: ["tollgate admin users set-role ann@example.org admin", "tollgate admin users set-role 12 user"],
  arguments: [
    { name: "user", description: "Email address or user ID" },
    { name: "role", description: "New role", choices: ["user", "admin"] },
  ],
  fields: userFields,
  operations: ["updateUser"],
  async run(context, _flags, { user: wanted, role }) {
    const id = await findUserId(context, wanted);
    const body = { role: role as "user" | "admin" };
    if (!(await context.confirms({ summary: `Set the role of ${wanted} (${id}) to ${role}`, request: body }))) return;
    const { user } = await withRecentPassword(context, () =>
      context.platform.call("updateUser", { params: { id }, body }),
    );
    context.output.done(`The role of ${user.email} is now ${user.role}`);
    if (context.output.isJson) context.output.record(user, () => "");
  },
});
