import { randomBytes, timingSafeEqual } from "node:crypto";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { readRun } from "../project/read-run.ts";
import { LIVE_SCRIPT } from "./live-script.ts";
import { livePage } from "./report-page.ts";
import { runsPage } from "./runs-page.ts";

interface LiveServerOptions {
  /** Returns the folders of the runs to show, latest last. Called for each page. */
  readonly runs: () => readonly string[];
  readonly port?: number;
}

export interface LiveServer {
  /** URL with the secret in its path, ending in a slash. */
  readonly url: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const LOOK_AGAIN_MS = 500;
const MAX_LISTENERS = 32;
const FILES: Readonly<Record<string, string>> = {
  "metrics.csv": "text/csv; charset=utf-8",
  "history.jsonl": "application/jsonl; charset=utf-8",
};

/** Serves runs as self-updating pages to anyone on this computer who has the link. */
export async function startLiveServer({ runs, port = 0 }: LiveServerOptions): Promise<LiveServer> {
  const secret = randomBytes(24).toString("base64url");
  const listeners = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => {
      if (!response.headersSent) answer(response, 500, "Could not read this run.");
      else response.destroy();
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, HOST, resolve);
  await promise;
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${bound}/${secret}/`,
    async close() {
      for (const listener of listeners) listener.end();
      await new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      });
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given = "", ...path] = (request.url ?? "").split("?")[0]?.split("/") ?? [];
    if (!isSame(given, secret) || !isLoopback(request.headers.host)) return answer(response, 404, "Not found.");
    if (request.method !== "GET") return answer(response, 405, "Only GET is supported.");
    if (path.join("/") === "")
      return answer(response, 200, runsPage(await readAll(runs())), "text/html; charset=utf-8");
    const [kind, name, part] = path.map((piece) => decodeURIComponent(piece));
    const dir = kind === "runs" ? runs().find((folder) => basename(folder) === name) : undefined;
    if (dir === undefined) return answer(response, 404, "Run not found.");
    if (part === undefined) {
      if (!existsSync(join(dir, "journal.jsonl")))
        return answer(response, 503, "The run is starting. Reload the page.");
      return answer(response, 200, livePage(await readRun(dir), LIVE_SCRIPT), "text/html; charset=utf-8");
    }
    if (part === "events") return follow(dir, response);
    const type = FILES[part];
    if (type === undefined || !existsSync(join(dir, part))) return answer(response, 404, "Not found.");
    response.writeHead(200, { ...HEADERS, "content-type": type });
    createReadStream(join(dir, part)).pipe(response);
  }

  /** Sends an event each time the journal grows. */
  function follow(dir: string, response: ServerResponse): void {
    if (listeners.size >= MAX_LISTENERS) return answer(response, 503, "Too many open pages.");
    listeners.add(response);
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
    response.write(": here\n\n");
    let seen = journalSize(dir);
    const timer = setInterval(() => {
      const size = journalSize(dir);
      if (size !== seen) response.write(`data: ${size}\n\n`);
      seen = size;
    }, LOOK_AGAIN_MS);
    response.once("close", () => {
      clearInterval(timer);
      listeners.delete(response);
    });
  }
}

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

function answer(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { ...HEADERS, "content-type": type });
  response.end(text);
}

async function readAll(dirs: readonly string[]) {
  const read = dirs.map(async (dir) => {
    try {
      return { dir, history: await readRun(dir), problem: null };
    } catch (error) {
      return { dir, history: null, problem: (error as Error).message };
    }
  });
  return (await Promise.all(read)).toReversed();
}

function journalSize(dir: string): number {
  return statSync(join(dir, "journal.jsonl"), { throwIfNoEntry: false })?.size ?? 0;
}

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Reports whether the Host header is local, which blocks DNS rebinding: a page from another site would send its own
 * hostname.
 */
function isLoopback(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host ?? "");
}
