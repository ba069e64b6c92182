import { defineCommand } from "../../../command.ts";
import { ask, readInput } from "../../../prompts/prompt.ts";
import { signIn, signInFields } from "./sign-in.ts";

/** `tollgate signup`. */
export const signup = defineCommand({
  examples: [
    "tollgate signup --email ada@example.org",
    "tollgate signup --email ada@example.org --password-stdin < password.txt",
  ],
  flags: {
    email: { type: "string", value: "EMAIL", description: "your address" },
    name: { type: "string", value: "NAME", description: "your name" },
    organization: { type: "string", value: "NAME", description: "what your organization is called" },
    "password-stdin": { type: "boolean", description: "read the password from standard input" },
  },
  fields: signInFields,
  operations: ["signUp"],
  async run(context, flags) {
    const { io } = context;
    const email = flags.email ?? (await ask(io, "Email:", "--email EMAIL"));
    const password = flags["password-stdin"]
      ? (await readInput(io)).replace(/\r?\n$/, "")
      : await ask(io, "Choose a password (10 signs or more):", "--password-stdin", { isSecret: true });
    const body = {
      email,
      password,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.organization !== undefined && { organizationName: flags.organization }),
    };
    const { status, data } = await context.platformAs(null).raw("signUp", { body });
    if (status === 202) {
      context.output.done(`A message was sent to ${email}: open its link, then: tollgate login --email ${email}`);
      return;
    }
    await signIn(context, data.token, data.expiresAt);
  },
});
