import type { IncomingMessage } from "node:http";
import { Failure } from "@tollgate/contracts/failures.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { checkOrigin } from "../http/check-caller.ts";

/**
 * Reads a form submitted from one of this server's pages. Rejects other origins, other content types, and large bodies.
 */
export async function readForm(request: IncomingMessage, settings: PlatformSettings): Promise<URLSearchParams> {
  checkFormOrigin(request, settings);
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "")) {
    throw new Failure("WRONG_MEDIA_TYPE", "This URL accepts only its form's submissions.");
  }
  return new URLSearchParams((await readSmallBody(request)).toString("utf8"));
}

/** Discard data beyond the limit instead of closing the connection, which would lose the response. */
function readSmallBody(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LOGIN_BODY) chunks.push(chunk);
    else reject(new Failure("BODY_TOO_LARGE", "The form submission is too large."));
  });
  request.once("end", () => resolve(Buffer.concat(chunks)));
  request.once("error", reject);
  request.once("close", () => reject(new Failure("INVALID_FIELD", "The form submission is incomplete.")));
  return promise;
}

/**
 * Checks the origin of a form submission. Browsers send the origin. Other clients have no cookie that another site
 * could misuse.
 */
export function checkFormOrigin({ headers }: IncomingMessage, settings: PlatformSettings): void {
  const site = headers["sec-fetch-site"];
  // Console pages hide their origin in form submissions, so only Sec-Fetch-Site can be checked.
  if ((headers.origin === "null" || headers.origin === undefined) && site === "same-origin") return;
  if (headers.origin !== undefined) checkOrigin(headers, settings);
  else if (site !== undefined && site !== "none") {
    throw new Failure("CROSS_ORIGIN", "This form was sent by another site.");
  }
}
