import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { CliError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { EXIT } from "../../../exit-codes.ts";
import { openBrowser } from "../../../open-browser.ts";

/** Returns a token that the user approves in the browser. Waits until the user approves it or the code expires. */
export async function pairWithBrowser(context: CommandContext): Promise<{ token: string; expiresAt: string }> {
  const platform = context.platformAs(null);
  const { pairing } = await platform.call("createPairing", { body: { clientName: `tollgate on ${hostname()}` } });
  const { output, io } = context;
  const isOpen = await openBrowser(pairing.confirmUrl, io);
  // Print the URL even with --quiet, because the user can't continue without it.
  io.stderr.write(`${isOpen ? "Opened in your browser:" : "Open this URL in a browser:"} ${pairing.confirmUrl}\n`);
  io.stderr.write(`Enter this code: ${output.noteStyles.bold(pairing.code)}\n`);
  return context.waiting("waiting for the browser…", claim());

  async function claim(): Promise<{ token: string; expiresAt: string }> {
    const until = Date.parse(pairing.expiresAt);
    const body = { id: pairing.id, secret: pairing.secret };
    while (Date.now() < until) {
      try {
        const { status, data } = await platform.raw("claimPairing", { body });
        if (status === 200) return data;
      } catch (error) {
        if (error instanceof ApiError && !error.retryable) throw refuse(error.message);
      }
      await pause(pairing.intervalSeconds * 1000);
    }
    throw refuse("The code was not confirmed in time.");
  }
}

function refuse(message: string): CliError {
  return new CliError(EXIT.notPermitted, "SIGN_IN_REFUSED", message, "tollgate login");
}
