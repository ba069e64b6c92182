import type { IncomingMessage } from "node:http";
import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { checkOrigin } from "../http/check-caller.ts";

/** The fields of a form that a page of ours sent; refuses what another site sent, and what is no small form. */
export async function readForm(request: IncomingMessage, settings: PlatformSettings): Promise<URLSearchParams> {
  checkFormOrigin(request, settings);
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "")) {
    throw new ManagementFailure("WRONG_MEDIA_TYPE", "This URL accepts only its form's submissions.");
  }
  return new URLSearchParams((await readSmallBody(request)).toString("utf8"));
}

/** What is beyond the limit is read and thrown away: a connection closed under a client takes the answer with it. */
function readSmallBody(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LOGIN_BODY) chunks.push(chunk);
    else reject(new ManagementFailure("BODY_TOO_LARGE", "The form submission is too large."));
  });
  request.once("end", () => resolve(Buffer.concat(chunks)));
  request.once("error", reject);
  request.once("close", () => reject(new ManagementFailure("INVALID_FIELD", "The form submission is incomplete.")));
  return promise;
}

/** A browser says where a form was; whatever is no browser has no cookie that another site could misuse. */
export function checkFormOrigin({ headers }: IncomingMessage, settings: PlatformSettings): void {
  const site = headers["sec-fetch-site"];
  // The console's own pages hide their origin from forms, and then only the browser's word is left.
  if ((headers.origin === "null" || headers.origin === undefined) && site === "same-origin") return;
  if (headers.origin !== undefined) checkOrigin(headers, settings);
  else if (site !== undefined && site !== "none") {
    throw new ManagementFailure("CROSS_ORIGIN", "This form was sent by another site.");
  }
}
