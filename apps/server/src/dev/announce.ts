import { openBrowser } from "@tollgate/cli/open-browser.ts";
import type { Io } from "@tollgate/runtime/exit.ts";
import { type BannerFacts, formatBanner } from "./banner.ts";
import { canOpenBrowser } from "./can-open-browser.ts";

/** Facts about the started instance. */
interface Started extends Omit<BannerFacts, "oneTimeUrl"> {
  readonly masterKey: string;
  readonly hasOneTimeLinks: boolean;
  /** Returns the URL of a console page that opens without a password, once. */
  readonly linkTo: (page: string) => string;
}

/**
 * Prints that the instance is ready. For programs, this is one JSON line, and no link that signs in is created. In a
 * terminal, the console also opens in a browser.
 */
export async function announce(
  io: Io,
  { isJson, opensBrowser }: { readonly isJson: boolean; readonly opensBrowser: boolean },
  started: Started,
): Promise<void> {
  const { baseUrl, uiUrl, apiKey, masterKey, admin, demoRequests, linkTo } = started;
  if (isJson) {
    const demo = demoRequests === null ? {} : { demo: { requests: demoRequests } };
    const line = { baseUrl, platformUrl: baseUrl, uiUrl, apiKey, masterKey, admin, ...demo };
    io.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  io.stdout.write(formatBanner({ ...started, oneTimeUrl: started.hasOneTimeLinks ? linkTo("/") : null }));
  if (!opensBrowser || !canOpenBrowser(io, process.platform)) return;
  if (await openBrowser(linkTo("/"), { stderr: { isTTY: true, write: () => true } }))
    io.stdout.write("  The console is open in your browser. To prevent this, add --no-open.\n\n");
}
