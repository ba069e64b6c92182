import { defineCommand } from "../../../command.ts";
import { ask, readInput } from "../../../prompts/prompt.ts";
import { signIn, signInFields } from "./sign-in.ts";

/** The `tollgate signup` command. */
export const signup = defineCommand({
  examples: [
    "tollgate signup --email ada@example.org",
    "tollgate signup --email ada@example.org --password-stdin < password.txt",
  ],
  flags: {
    email: { type: "string", value: "EMAIL", description: "Email address" },
    name: { type: "string", value: "NAME", description: "Your name" },
    organization: { type: "string", value: "NAME", description: "Organization name" },
    "password-stdin": { type: "boolean", description: "Read the password from standard input" },
  },
  fields: signInFields,
  operations: ["signUp"],
  async run(context, flags) {
    const { io } = context;
    const email = flags.email ?? (await ask(io, "Email:", "--email EMAIL"));
    const password = flags["password-stdin"]
      ? (await readInput(io)).replace(/\r?\n$/, "")
      : await ask(io, "Password (at least 10 characters):", "--password-stdin", { isSecret: true });
    const body = {
      email,
      password,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.organization !== undefined && { organizationName: flags.organization }),
    };
    const { status, data } = await context.platformAs(null).raw("signUp", { body });
    if (status === 202) {
      context.output.done(
        `Sent a verification email to ${email}. Open its link, then run tollgate login --email ${email}`,
      );
      return;
    }
    await signIn(context, data.token, data.expiresAt);
  },
});
