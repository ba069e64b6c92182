import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { ConsoleBundle, ConsoleFile } from "../pages/console-bundle.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
const INTEGRITY_FILE = "integrity.json";
const MAX_FILES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads the built console once: what is on the disk may change under a running process, what it serves does not. A file
 * that the build's own list of digests does not know in this form makes the whole bundle unfit, so that half a copy is a
 * readable page and never a blank one.
 */
export async function readConsoleBundle(folder: string): Promise<ConsoleBundle> {
  const files = new Map<string, ConsoleFile>();
  let total = 0;
  for (const path of await listFiles(folder)) {
    const contentType = contentTypes[extname(path)];
    if (contentType === undefined) continue;
    const bytes = await readFile(join(folder, path));
    total += bytes.length;
    if (files.size >= MAX_FILES || total > MAX_BYTES) return broken("The console's folder holds more than a console.");
    files.set(path, { bytes, contentType, isHashed: path.startsWith("assets/"), integrity: digest(bytes) });
  }
  const index = files.get("index.html");
  const sealed = files.get(INTEGRITY_FILE);
  if (index === undefined || sealed === undefined) return broken("The console was not built.");
  const damaged = findDamaged(JSON.parse(sealed.bytes.toString("utf8")) as Record<string, string>, files);
  if (damaged !== null) return broken(`The console's file ${damaged} is not the one that was built.`);
  files.delete("index.html");
  files.delete(INTEGRITY_FILE);
  return { kind: "whole", files, indexHtml: index.bytes.toString("utf8") };
}

function broken(problem: string): ConsoleBundle {
  return { kind: "broken", problem };
}

function findDamaged(sealed: Readonly<Record<string, string>>, files: ReadonlyMap<string, ConsoleFile>): string | null {
  const isDamaged = (path: string) => files.get(path)?.integrity !== sealed[path];
  const named = Object.keys(sealed).find(isDamaged);
  const unnamed = [...files.keys()].find((path) => path !== INTEGRITY_FILE && !(path in sealed));
  return named ?? unnamed ?? null;
}

function digest(bytes: Buffer): string {
  return `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return paths.map((path) => relative(folder, path).replaceAll(sep, "/"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
