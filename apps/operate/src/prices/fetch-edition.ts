import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { MAX_EDITION_BYTES } from "@tollgate/catalog/find-catalog-problem.ts";

/** Thrown if an edition can't be read. The message says why. */
export class EditionUnreadable extends Error {}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Reads an edition from a file or a URL. A URL must use HTTPS, except on this machine. */
export async function fetchEdition(place: string, cwd: string): Promise<Buffer> {
  if (!/^https?:\/\//.test(place)) {
    const bytes = await readFile(resolve(cwd, place)).catch((error: NodeJS.ErrnoException) => {
      throw new EditionUnreadable(
        `Could not read ${place}: ${error.code === "ENOENT" ? "no such file" : error.message}.`,
      );
    });
    return withinLimit(place, bytes);
  }
  return download(new URL(place));
}

/** Requests a URL, and follows redirects to URLs that this function would also request. */
async function request(url: URL, signal: AbortSignal, redirectsLeft = MAX_REDIRECTS): Promise<Response> {
  if (url.protocol !== "https:" && !LOOPBACK.has(url.hostname)) {
    throw new EditionUnreadable(`${url} does not use HTTPS.`);
  }
  const response = await fetch(url, { signal, redirect: "manual" });
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  await response.body?.cancel();
  if (redirectsLeft === 0) throw new EditionUnreadable(`${url} redirects too often.`);
  return request(new URL(location, url), signal, redirectsLeft - 1);
}

async function download(url: URL): Promise<Buffer> {
  try {
    const response = await request(url, AbortSignal.timeout(TIMEOUT_MS));
    if (!response.ok || response.body === null) {
      throw new EditionUnreadable(`${url} returned status ${response.status}.`);
    }
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body) {
      size += part.byteLength;
      // Stop reading here, because the sender decides how much it sends.
      if (size > MAX_EDITION_BYTES) throw new EditionUnreadable(`${url} is larger than ${MAX_EDITION_BYTES} bytes.`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof EditionUnreadable) throw error;
    const { message, cause } = error as Error;
    throw new EditionUnreadable(`Could not read ${url}: ${cause instanceof Error ? cause.message : message}.`);
  }
}

function withinLimit(place: string, bytes: Buffer): Buffer {
  if (bytes.length > MAX_EDITION_BYTES) {
    throw new EditionUnreadable(`${place} is larger than ${MAX_EDITION_BYTES} bytes.`);
  }
  return bytes;
}
