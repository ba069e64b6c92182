import { client } from "../api/client.ts";
import { consolePath } from "../base-path.ts";

/** Ends the session on the server, then reloads the page to discard all loaded data. */
export async function signOut(): Promise<void> {
  await client.call("deleteCookieSession").catch(() => {});
  window.location.assign(`${consolePath}/login`);
}
