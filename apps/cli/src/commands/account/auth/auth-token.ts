import { defineCommand } from "../../../command.ts";
import { currentToken } from "../../../settings/current-token.ts";

/** `tollgate auth token`: prints only the token, for scripts. */
export const authToken = defineCommand({
  examples: [
    'curl -H "authorization: Bearer $(tollgate auth token)" http://127.0.0.1:4000/api/balance',
    "tollgate auth token --profile work",
  ],
  notes: "Anyone with this token can act as you. Don't store it where others can read it.",
  fields: ["token"],
  async run(context) {
    const token = await currentToken(context);
    context.output.record({ token }, () => `${token}\n`);
  },
});
