import { notFoundError } from "../../cli-error.ts";
import type { CommandContext } from "../../context.ts";

/** Returns the user ID for a user ID or an email address. */
export async function findUserId({ platform }: CommandContext, wanted: string): Promise<number> {
  if (/^\d+$/.test(wanted)) return Number(wanted);
  const { data } = await platform.call("listUsers", { query: { search: wanted, status: "all", pageSize: 100 } });
  const user = data.find(({ email }) => email.toLowerCase() === wanted.toLowerCase());
  if (user === undefined) throw notFoundError(`Unknown user '${wanted}'.`, "tollgate admin users list --search TEXT");
  return user.id;
}
