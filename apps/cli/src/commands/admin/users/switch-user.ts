import { type Command, defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { findUserId } from "../find-user.ts";
import { userFields } from "./user-fields.ts";

/** `tollgate admin users disable`: signs the user out and prevents sign-in. */
export const usersDisable = switchTo("disabled", "disable");
/** The `tollgate admin users enable` command. */
export const usersEnable = switchTo("active", "enable");

function switchTo(status: "active" | "disabled", verb: "disable" | "enable"): Command {
  return defineCommand({
    kind: "change",
    examples: [`tollgate admin users ${verb} ann@example.org`, `tollgate admin users ${verb} 12 --dry-run`],
    arguments: [{ name: "user", description: "Email address or user ID" }],
    fields: userFields,
    operations: ["updateUser"],
    async run(context, _flags, { user: wanted }) {
      const id = await findUserId(context, wanted);
      const body = { status };
      const summary = `${verb === "disable" ? "Disable" : "Enable"} ${wanted} (${id})`;
      if (!(await context.confirms({ summary, request: body }))) return;
      const { user } = await withRecentPassword(context, () =>
        context.platform.call("updateUser", { params: { id }, body }),
      );
      context.output.done(`${user.email} is now ${user.status}`);
      if (context.output.isJson) context.output.record(user, () => "");
    },
  });
}
