import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Secret } from "@tollgate/domain/secret.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { createApi } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { onTestFinished } from "vitest";
import { ROOMY_LIMITS, SECRET_KEY, signUp } from "./hosted-platform.fixture.ts";
import { listenForPlatform } from "./listen-for-platform.ts";
import { type PlatformStart, startPlatform } from "./start-platform.ts";

const files: Readonly<Record<string, string>> = {
  "index.html": `<!doctype html><html><head><base href="%BASE%/ui/" />
<link rel="icon" href="./icon.svg"><script type="module" crossorigin src="./assets/main-abc.js"></script>
<link rel="stylesheet" crossorigin href="./assets/main-def.css"></head><body><div id="root"></div></body></html>`,
  "icon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "assets/main-abc.js": `import("./page-ghi.js"); // ${"a line that packs well ".repeat(50)}`,
  "assets/page-ghi.js": "export const page = 1;",
  "assets/main-def.css": "body { margin: 0 }",
};

/** Creates a folder like the console's build output, with a few small files. */
export function buildConsole(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-console-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const sealed = Object.entries(files).map(([path, text]) => [path, integrityOf(text)]);
  writeFileSync(join(folder, "integrity.json"), JSON.stringify(Object.fromEntries(sealed)));
  return folder;
}

const logger = { info: () => {}, warn: () => {}, error: () => {} };
const settingsOf = (yaml: string) =>
  testSettings(`model_list: []\nbilling: { provider: fake }\n${ROOMY_LIMITS}\n${yaml}`);

/** Starts a platform in a separate server for one test. This is ten times faster than starting gateways. */
export async function startPages(database: TestDatabase, yaml = "", more: Partial<PlatformStart> = {}) {
  const settings = settingsOf(yaml);
  const platform = await startPlatform({
    settings,
    connectionString: database.connectionString,
    redisUrl: null,
    secretKeys: [new Secret(SECRET_KEY)],
    gatewayUrl: () => null,
    consoleFolder: buildConsole(),
    logger,
    ...more,
  });
  const server = await listenForPlatform(platform, {
    settings,
    target: { host: "127.0.0.1", port: 0 },
    certificate: null,
    logger,
  });
  onTestFinished(async () => {
    await server.stop(1_000);
    await platform.stop();
  });
  const url = `http://127.0.0.1:${server.port}`;
  const api = createApi(url);
  return { url, api, signUp: () => signUp(api), reload: (next: string) => platform.reload(settingsOf(next)) };
}

/** Returns the subresource integrity value of a file. */
export function integrityOf(text: string): string {
  return `sha384-${createHash("sha384").update(text).digest("base64")}`;
}

export const consoleFiles = files;

interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface PageRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

/** Requests a path exactly as written, without normalization, redirects, or decompression. */
export function askPage(url: string, path: string, { method, headers, form }: PageRequest = {}): Promise<PageAnswer> {
  const body = form === undefined ? null : new URLSearchParams(form).toString();
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        hostname,
        port,
        path,
        method: method ?? (body === null ? "GET" : "POST"),
        headers: { ...(body !== null && { "content-type": "application/x-www-form-urlencoded" }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    asked.once("error", reject);
    asked.end(body ?? undefined);
  });
}

/** Returns the cookie that a response sets, in the form in which a browser sends it back. */
export function cookieOf({ headers }: PageAnswer): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}
