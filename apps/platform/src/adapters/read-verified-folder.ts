import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { VerifiedFile, VerifiedFiles } from "../pages/verified-files.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  // Serve Markdown as plain text, because some browsers download `text/markdown` instead of displaying it.
  ".md": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".yaml": "text/plain; charset=utf-8",
  ".yml": "text/plain; charset=utf-8",
};
/** Folders with content-hashed file names. */
const hashedFolders = { console: "assets/", documentation: "site/" } as const;
const INTEGRITY_FILE = "integrity.json";
const MAX_FILES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads a build output folder, such as the console. If any file doesn't match the build's digests, the entire folder is
 * rejected, so that a partial copy shows an error page instead of a blank one.
 */
export async function readVerifiedFolder(folder: string, name: keyof typeof hashedFolders): Promise<VerifiedFiles> {
  const files = new Map<string, VerifiedFile>();
  let total = 0;
  for (const path of await listFiles(folder)) {
    const contentType = contentTypes[extname(path)];
    if (contentType === undefined) continue;
    const bytes = await readFile(join(folder, path));
    total += bytes.length;
    if (files.size >= MAX_FILES || total > MAX_BYTES)
      return broken(`The ${name} folder contains too many files or is too large.`);
    files.set(path, { bytes, contentType, isHashed: path.startsWith(hashedFolders[name]), integrity: digest(bytes) });
  }
  const sealed = files.get(INTEGRITY_FILE);
  if (sealed === undefined) return broken(`The ${name} has not been built.`);
  const damaged = findDamaged(JSON.parse(sealed.bytes.toString("utf8")) as Record<string, string>, files);
  if (damaged !== null) return broken(`The ${name} file ${damaged} does not match its build.`);
  files.delete(INTEGRITY_FILE);
  return { kind: "whole", files };
}

function broken(problem: string): VerifiedFiles {
  return { kind: "broken", problem };
}

function findDamaged(
  sealed: Readonly<Record<string, string>>,
  files: ReadonlyMap<string, VerifiedFile>,
): string | null {
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
