import { client } from "../api/client.ts";
import { consolePath } from "../base-path.ts";

/** Ends the session at the server, then leaves with everything that was read for it. */
export async function signOut(): Promise<void> {
  await client.call("deleteCookieSession").catch(() => {});
  window.location.assign(`${consolePath}/login`);
}
